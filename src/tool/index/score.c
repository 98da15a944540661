/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score.c - the score of each document for a query.
 *
 * BM25F over the fields of a document, plus these parts, each divided by its maximum and weighted:
 * the best clause, the group, the share of the name that the query covers, and the meaning. A
 * document's score is summed in the order of the query's words, so that it does not depend on the
 * history of the index.
 *
 * Tests: tests/tool/index/query_test.c.
 */
#include <float.h>
#include <string.h>

#include "base/error.h"
#include "tool/index/math.h"
#include "tool/index/search_int.h"

#define K1 1.4F
#define B  0.75F
/* The factor for a document that is deprecated. */
#define DEPRECATED 0.8F
/* Similarities below this share of the best one are ignored. */
#define MIN_ANGLE 0.3F
/* If the best similarity of word vectors exceeds the threshold by less than this, all similarities
 * count less, because even the nearest document is then not an answer. Embedding models have their
 * own scales. */
#define FULL_ANGLE 0.4F

/* ---- the floor: which documents are not answers ----
 *
 * The evidence of words is the part of the query's rarity that a document contains, saturated like
 * its score, times WORDS_FACTOR. The evidence of meaning is the similarity. The words of its group
 * count less, and only for the floor of the whole result: otherwise one matching document would
 * turn all documents of its group into answers. docs/tool-search.md has the measurements. */
#define WORDS_FACTOR 5.0F
#define GROUP_FACTOR 0.3F
/* If the best document, together with its group, has less evidence than this, the result is empty.
 * Measured on metatool, in catalogues of 12 tools: at 0.30, 0.40 and 0.50, 10, 23 and 42 % of the
 * queries without an answer find nothing; recall@10 on the whole set is 76.2, 76.1 and 75.5. */
#define FLOOR_RESULT 0.40F
/* Evidence of words that is enough for a document, with word vectors and without. */
#define FLOOR_WORDS       0.1F
#define FLOOR_WORDS_ALONE 0.04F
/* A document with less evidence of words must be similar: this many standard deviations above the
 * mean of all documents, or have this similarity, and have this evidence in total. */
#define FLOOR_DEVIATIONS 0.75
#define FLOOR_SIMILAR    0.5F
#define FLOOR_BOTH       0.2F

/* The constants of a query, and its scores. */
typedef struct scorer {
    const haft__search_index *search;
    double log_docs, log_groups;
    float weights[HAFT__SEARCH_FIELDS];
    float slopes[HAFT__SEARCH_FIELDS]; /* B / the mean length: normalises by length */
    float group_slope;
    uint32_t limit;                            /* upper bound of document numbers */
    float *all, *clause, *best, *names, *part; /* by document number */
    float *words;                              /* reuses `clause`: the evidence of words */
    float *group_words; /* reuses `names`: the evidence of the words of the group */
    float floor;        /* a document with this evidence of words is an answer */
    float *groups;      /* by group number */
    bool has_clauses;   /* the query has several clauses */
} scorer;

static float slope(uint64_t length, uint32_t count)
{
    return length > 0 ? (float)((double)B * (double)count / (double)length) : 0;
}

static haft_status begin(const haft__search_index *search, haft__arena *arena, scorer *s,
                         haft_error *err)
{
    const haft__search_weights *w = &search->options.weights;
    uint32_t docs = search->doc_table.count, groups = search->group_table.count;
    *s = (scorer){.search = search,
                  .log_docs = haft__search_log(docs + 1.0),
                  .log_groups = haft__search_log(groups + 1.0),
                  .weights = {(float)w->name, (float)w->text, (float)w->group, (float)w->params},
                  .group_slope = slope(search->group_length, groups),
                  .limit = search->doc_table.limit,
                  .floor = FLOOR_WORDS_ALONE};
    for (size_t f = 0; f < HAFT__SEARCH_FIELDS; f++) {
        s->slopes[f] = slope(search->lengths[f], docs);
    }
    float **arrays[] = {&s->all, &s->clause, &s->best, &s->names, &s->part};
    for (size_t i = 0; i < COUNT(arrays); i++) {
        *arrays[i] = haft__arena_array(arena, s->limit, sizeof(float));
        if (*arrays[i] == NULL) {
            return haft__arena_fail(arena, err);
        }
    }
    s->words = s->clause;
    s->group_words = s->names;
    s->groups = haft__arena_array(arena, search->group_table.limit, sizeof(float));
    return s->groups != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* ---- words ---- */

/* The weighted frequency of a word in a document, normalised by length and saturating. */
static float frequency(const scorer *s, const haft__search_posting *posting)
{
    const uint32_t *lengths = s->search->docs[posting->doc].lengths;
    float sum = 0;
    for (size_t f = 0; f < HAFT__SEARCH_FIELDS; f++) {
        if (posting->counts[f] > 0) {
            sum += s->weights[f] * (float)posting->counts[f]
                   / (1 - B + s->slopes[f] * (float)lengths[f]);
        }
    }
    return sum / (K1 + sum);
}

static void score_term(scorer *s, const haft__search_query_term *part)
{
    const haft__search_term *term = &s->search->terms[part->term];
    float rarity = part->weight * haft__search_idf(s->log_docs, term);
    for (uint32_t i = 0; i < term->doc_count; i++) {
        const haft__search_posting *posting = &term->docs[i];
        float score = rarity * frequency(s, posting);
        if (s->has_clauses) {
            s->clause[posting->doc] += score;
        }
        if (!part->repeated) {
            s->all[posting->doc] += score;
            s->names[posting->doc] += posting->counts[HAFT__SEARCH_NAME] > 0 ? rarity : 0;
        }
    }
}

static void score_groups(scorer *s, const haft__search_query_term *part)
{
    const haft__search_term *term = &s->search->terms[part->term];
    if (part->repeated || term->group_count == 0) {
        return;
    }
    float rarity =
        part->weight * (float)(s->log_groups - haft__search_log(term->group_count + 0.5));
    for (uint32_t i = 0; i < term->group_count; i++) {
        const haft__search_group_posting *mention = &term->groups[i];
        float length = (float)s->search->groups[mention->group].length;
        float sum = (float)mention->count / (1 - B + s->group_slope * length);
        s->groups[mention->group] += rarity * sum / (K1 + sum);
    }
}

/* The maximum of the scores. Four maxima are computed in parallel, because each comparison depends
 * on the previous one. */
static float best_of(const float *scores, uint32_t count)
{
    float best[4] = {0};
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (uint32_t j = 0; j < 4; j++) {
            best[j] = scores[i + j] > best[j] ? scores[i + j] : best[j];
        }
    }
    for (; i < count; i++) {
        best[0] = scores[i] > best[0] ? scores[i] : best[0];
    }
    best[0] = best[1] > best[0] ? best[1] : best[0];
    best[2] = best[3] > best[2] ? best[3] : best[2];
    return best[2] > best[0] ? best[2] : best[0];
}

/* The best score among the documents that have one of the words of a clause. */
static float best_of_clause(const scorer *s, const haft__search_query_term *parts, size_t count)
{
    float top = 0;
    for (size_t i = 0; i < count; i++) {
        const haft__search_term *term = &s->search->terms[parts[i].term];
        for (uint32_t j = 0; j < term->doc_count; j++) {
            float score = s->clause[term->docs[j].doc];
            top = score > top ? score : top;
        }
    }
    return top;
}

/* Stores each document's best clause, scaled so that the best documents of all clauses have equal
 * scores. The buffer of the clause contains zeros before and after. */
static void end_clause(scorer *s, const haft__search_query_term *parts, size_t count)
{
    float top = best_of_clause(s, parts, count), factor = top > 0 ? 1 / top : 0;
    for (size_t i = 0; i < count; i++) {
        const haft__search_term *term = &s->search->terms[parts[i].term];
        for (uint32_t j = 0; j < term->doc_count; j++) {
            uint32_t doc = term->docs[j].doc;
            float score = s->clause[doc] * factor;
            s->best[doc] = score > s->best[doc] ? score : s->best[doc];
            s->clause[doc] = 0;
        }
    }
}

static void score_parts(scorer *s, const haft__search_parsed_query *parsed)
{
    for (size_t i = 0, first = 0; i < parsed->part_count; i++) {
        const haft__search_query_term *part = &parsed->parts[i];
        score_term(s, part);
        score_groups(s, part);
        bool is_last = i + 1 == parsed->part_count || parsed->parts[i + 1].clause != part->clause;
        if (is_last && s->has_clauses) {
            end_clause(s, &parsed->parts[first], i + 1 - first);
            first = i + 1;
        }
    }
}

/* ---- the total ---- */

/* Adds a part whose maximum is `best`. */
static void add_part(const scorer *s, const float *part, double weight, float best)
{
    float factor = best > 0 ? (float)weight / best : 0;
    for (uint32_t i = 0; i < s->limit && factor > 0; i++) {
        s->all[i] += factor * part[i];
    }
}

/* Stores the evidence of words, and divides the scores by the best score. */
static void normalize_words(scorer *s, const haft__search_parsed_query *parsed)
{
    float best = best_of(s->all, s->limit);
    float share = parsed->rarity > 0 ? WORDS_FACTOR / parsed->rarity : 0;
    for (uint32_t i = 0; i < s->limit && best > 0; i++) {
        s->words[i] = s->all[i] * share;
        s->all[i] /= best;
    }
}

/* Converts the sums of the names to the share that the query covers, and adds it. */
static void cover_names(scorer *s)
{
    float best = 0;
    for (uint32_t i = 0; i < s->limit; i++) {
        if (s->names[i] <= 0) {
            continue;
        }
        const haft__search_indexed_doc *indexed = &s->search->docs[i];
        float sum = 0;
        for (uint32_t j = 0; j < indexed->name_count; j++) {
            sum += haft__search_idf(s->log_docs, &s->search->terms[indexed->entries[j].term]);
        }
        s->names[i] = sum > 0 ? s->names[i] / sum : 0;
        best = s->names[i] > best ? s->names[i] : best;
    }
    add_part(s, s->names, s->search->options.weights.cover, best);
}

/* Adds the score of its group to each document, and stores it as evidence. A group with a score has
 * a document, so the best group has the best document. */
static void spread_groups(scorer *s, const haft__search_parsed_query *parsed)
{
    float share = parsed->rarity > 0 ? WORDS_FACTOR * GROUP_FACTOR / parsed->rarity : 0;
    float best = best_of(s->groups, s->search->group_table.limit);
    memset(s->group_words, 0, s->limit * sizeof(*s->group_words));
    if (best <= 0) {
        return;
    }
    float factor = (float)s->search->options.weights.server / best;
    for (uint32_t i = 0; i < s->limit; i++) {
        const haft__search_indexed_doc *indexed = &s->search->docs[i];
        if (indexed->entries != NULL && indexed->group != HAFT__SEARCH_NONE) {
            s->group_words[i] = s->groups[indexed->group] * share;
            s->all[i] += factor * s->groups[indexed->group];
        }
    }
}

/* ---- meaning ---- */

/* The similarity of `deviations` standard deviations above the mean. The sums are of integers, so
 * that they do not depend on the order of the documents. */
static float similarity_above_mean(const scorer *s, double deviations)
{
    const float unit = 4096;
    double count = s->search->doc_table.count > 0 ? s->search->doc_table.count : 1;
    uint64_t sum = 0, squares = 0;
    for (uint32_t i = 0; i < s->limit; i++) {
        int32_t similarity = (int32_t)(s->part[i] * unit);
        sum += (uint32_t)similarity;
        squares += (uint32_t)(similarity * similarity);
    }
    double mean = (double)sum / count, variance = (double)squares / count - mean * mean;
    return (float)((mean + deviations * haft__search_sqrt(variance)) / (double)unit);
}

/* Decides by words and by meaning which documents are answers. An answer by meaning gets the
 * evidence of words that an answer needs. */
static void find_answers(scorer *s)
{
    float min = similarity_above_mean(s, FLOOR_DEVIATIONS), best = 0;
    min = min < FLOOR_SIMILAR ? min : FLOOR_SIMILAR;
    for (uint32_t i = 0; i < s->limit; i++) {
        float similarity = s->part[i], evidence = s->words[i] + similarity;
        float with_group = evidence + s->group_words[i];
        best = with_group > best ? with_group : best;
        /* without branches, which a processor could not predict */
        int similar = (similarity >= min) & (evidence >= FLOOR_BOTH);
        float enough = (float)similar * FLOOR_WORDS;
        s->words[i] = s->words[i] > enough ? s->words[i] : enough;
    }
    s->floor = best < FLOOR_RESULT ? FLT_MAX : FLOOR_WORDS;
}

/* Decides which documents are answers, with embeddings. Embedding models have their own scales, so
 * each similar document may be an answer. */
static void find_answers_embedded(scorer *s, float min)
{
    for (uint32_t i = 0; i < s->limit; i++) {
        if (s->part[i] > min && s->words[i] < FLOOR_WORDS_ALONE) {
            s->words[i] = FLOOR_WORDS_ALONE;
        }
    }
}

/* Adds the score of the meaning, and decides which documents are answers. If no word of the query
 * has a vector, the words decide. `part` contains zeros before and after. */
static void score_meaning(scorer *s, const haft__search_parsed_query *parsed)
{
    bool embedded = parsed->embedding != NULL;
    if (embedded) {
        haft__search_score_embeddings(s->search, parsed->embedding, s->part);
    } else if (!haft__search_score_similarity(s->search, parsed, s->part)) {
        return;
    }
    float best = best_of(s->part, s->limit), min = MIN_ANGLE * best;
    if (embedded) {
        find_answers_embedded(s, min);
    } else {
        find_answers(s);
    }
    /* A query of many clauses has many meanings, and the mean of their vectors represents none of
     * them. */
    double clauses = parsed->clause_count > 1 ? parsed->clause_count : 1;
    double weight = s->search->options.weights.vector / haft__search_sqrt(clauses);
    best -= min;
    best = embedded || best <= 0 || best >= FULL_ANGLE ? best : FULL_ANGLE;
    float factor = best > 0 ? (float)weight / best : 0;
    for (uint32_t i = 0; i < s->limit; i++) {
        float above = s->part[i] - min;
        s->all[i] += factor * (above > 0 ? above : 0);
    }
    memset(s->part, 0, s->limit * sizeof(*s->part));
}

/* Drops documents that are not answers, unless the query contains their name. A deprecated document
 * ranks after its replacement. */
static void finish(scorer *s, const haft__search_parsed_query *parsed)
{
    haft__search_score_partial_names(s->search, parsed, s->part);
    haft__search_score_names(s->search, parsed, s->groups, s->part);
    for (uint32_t i = 0; i < s->limit; i++) {
        float score = s->search->docs[i].deprecated ? DEPRECATED * s->all[i] : s->all[i];
        s->all[i] = s->words[i] >= s->floor || s->part[i] > 0 ? score + s->part[i] : 0;
    }
}

haft_status haft__search_score(const haft__search_index *search,
                               const haft__search_parsed_query *parsed, haft__arena *arena,
                               float **ret_total, haft_error *err)
{
    scorer s;
    haft_status status = begin(search, arena, &s, err);
    if (status != HAFT_OK) {
        return status;
    }
    s.has_clauses = parsed->clause_count > 1;
    score_parts(&s, parsed);
    normalize_words(&s, parsed);
    if (s.has_clauses) {
        add_part(&s, s.best, search->options.weights.clause, best_of(s.best, s.limit));
    }
    cover_names(&s);
    spread_groups(&s, parsed);
    if (parsed->embedding != NULL || search->options.vectors != NULL) {
        score_meaning(&s, parsed);
    }
    finish(&s, parsed);
    *ret_total = s.all;
    return HAFT_OK;
}

/* ---- explanation ---- */

const char *haft__search_explain_hit(const haft__search_index *search,
                                     const haft__search_parsed_query *parsed, uint32_t doc,
                                     float score)
{
    static const char *const fields[] = {"name", "text", "server", "parameters"};
    const haft__search_weights *w = &search->options.weights;
    double weights[] = {w->name, w->text, w->group, w->params}, sums[COUNT(fields)] = {0};
    float named = haft__search_named_bonus(search, parsed, doc);
    score -= named;
    if (score >= HAFT__SEARCH_EXACT_GROUP) {
        return score >= HAFT__SEARCH_EXACT_NAME ? "exact name" : "server name";
    }
    if (score >= HAFT__SEARCH_PARTIAL_NAME) {
        return "name";
    }
    if (named >= HAFT__SEARCH_MENTIONED_GROUP) {
        return "server name";
    }
    double log_docs = haft__search_log(search->doc_table.count + 1.0);
    for (size_t i = 0; i < parsed->part_count; i++) {
        const haft__search_term *term = &search->terms[parsed->parts[i].term];
        uint32_t at = haft__search_term_find(term, doc);
        bool found = at < term->doc_count && term->docs[at].doc == doc;
        for (size_t f = 0; f < COUNT(fields) && found; f++) {
            double rarity =
                (double)haft__search_idf(log_docs, term) * (double)parsed->parts[i].weight;
            sums[f] += term->docs[at].counts[f] > 0 ? weights[f] * rarity : 0;
        }
    }
    size_t max = 0;
    for (size_t f = 1; f < COUNT(fields); f++) {
        max = sums[f] > sums[max] ? f : max;
    }
    if (sums[max] > 0) {
        return fields[max];
    }
    bool meant = parsed->embedding != NULL || search->options.vectors != NULL;
    return haft__search_is_partial(search, parsed, doc) ? "name" : meant ? "meaning" : "server";
}
