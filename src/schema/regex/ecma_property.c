/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ecma_property.c - the Unicode properties that \p{...} may name.
 *
 * The names are exactly those of ECMA-262 (tables "Non-binary" and "Binary Unicode property
 * aliases") and of the Unicode files that it refers to. If the installed PCRE2 does not support a
 * name, compiling the translation fails. Tests: tests/schema/regex/ecma_property_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "schema/regex/ecma.h"

/* PCRE2 gets the second name. */ static const haft__ecma_property_names categories[] = {
    {{"Cased_Letter", "LC"}},
    {{"Close_Punctuation", "Pe"}},
    {{"Connector_Punctuation", "Pc"}},
    {{"Control", "Cc", "cntrl"}},
    {{"Currency_Symbol", "Sc"}},
    {{"Dash_Punctuation", "Pd"}},
    {{"Decimal_Number", "Nd", "digit"}},
    {{"Enclosing_Mark", "Me"}},
    {{"Final_Punctuation", "Pf"}},
    {{"Format", "Cf"}},
    {{"Initial_Punctuation", "Pi"}},
    {{"Letter", "L"}},
    {{"Letter_Number", "Nl"}},
    {{"Line_Separator", "Zl"}},
    {{"Lowercase_Letter", "Ll"}},
    {{"Mark", "M", "Combining_Mark"}},
    {{"Math_Symbol", "Sm"}},
    {{"Modifier_Letter", "Lm"}},
    {{"Modifier_Symbol", "Sk"}},
    {{"Nonspacing_Mark", "Mn"}},
    {{"Number", "N"}},
    {{"Open_Punctuation", "Ps"}},
    {{"Other", "C"}},
    {{"Other_Letter", "Lo"}},
    {{"Other_Number", "No"}},
    {{"Other_Punctuation", "Po"}},
    {{"Other_Symbol", "So"}},
    {{"Paragraph_Separator", "Zp"}},
    {{"Private_Use", "Co"}},
    {{"Punctuation", "P", "punct"}},
    {{"Separator", "Z"}},
    {{"Space_Separator", "Zs"}},
    {{"Spacing_Mark", "Mc"}},
    {{"Surrogate", "Cs"}},
    {{"Symbol", "S"}},
    {{"Titlecase_Letter", "Lt"}},
    {{"Unassigned", "Cn"}},
    {{"Uppercase_Letter", "Lu"}},
};

/* PCRE2 gets the second name. */ static const haft__ecma_property_names scripts[] = {
    {{"Adlam", "Adlm"}},
    {{"Ahom", "Ahom"}},
    {{"Anatolian_Hieroglyphs", "Hluw"}},
    {{"Arabic", "Arab"}},
    {{"Armenian", "Armn"}},
    {{"Avestan", "Avst"}},
    {{"Balinese", "Bali"}},
    {{"Bamum", "Bamu"}},
    {{"Bassa_Vah", "Bass"}},
    {{"Batak", "Batk"}},
    {{"Bengali", "Beng"}},
    {{"Beria_Erfe", "Berf"}},
    {{"Bhaiksuki", "Bhks"}},
    {{"Bopomofo", "Bopo"}},
    {{"Brahmi", "Brah"}},
    {{"Braille", "Brai"}},
    {{"Buginese", "Bugi"}},
    {{"Buhid", "Buhd"}},
    {{"Canadian_Aboriginal", "Cans"}},
    {{"Carian", "Cari"}},
    {{"Caucasian_Albanian", "Aghb"}},
    {{"Chakma", "Cakm"}},
    {{"Cham", "Cham"}},
    {{"Cherokee", "Cher"}},
    {{"Chorasmian", "Chrs"}},
    {{"Common", "Zyyy"}},
    {{"Coptic", "Copt", "Qaac"}},
    {{"Cuneiform", "Xsux"}},
    {{"Cypriot", "Cprt"}},
    {{"Cypro_Minoan", "Cpmn"}},
    {{"Cyrillic", "Cyrl"}},
    {{"Deseret", "Dsrt"}},
    {{"Devanagari", "Deva"}},
    {{"Dives_Akuru", "Diak"}},
    {{"Dogra", "Dogr"}},
    {{"Duployan", "Dupl"}},
    {{"Egyptian_Hieroglyphs", "Egyp"}},
    {{"Elbasan", "Elba"}},
    {{"Elymaic", "Elym"}},
    {{"Ethiopic", "Ethi"}},
    {{"Garay", "Gara"}},
    {{"Georgian", "Geor"}},
    {{"Glagolitic", "Glag"}},
    {{"Gothic", "Goth"}},
    {{"Grantha", "Gran"}},
    {{"Greek", "Grek"}},
    {{"Gujarati", "Gujr"}},
    {{"Gunjala_Gondi", "Gong"}},
    {{"Gurmukhi", "Guru"}},
    {{"Gurung_Khema", "Gukh"}},
    {{"Han", "Hani"}},
    {{"Hangul", "Hang"}},
    {{"Hanifi_Rohingya", "Rohg"}},
    {{"Hanunoo", "Hano"}},
    {{"Hatran", "Hatr"}},
    {{"Hebrew", "Hebr"}},
    {{"Hiragana", "Hira"}},
    {{"Imperial_Aramaic", "Armi"}},
    {{"Inherited", "Zinh", "Qaai"}},
    {{"Inscriptional_Pahlavi", "Phli"}},
    {{"Inscriptional_Parthian", "Prti"}},
    {{"Javanese", "Java"}},
    {{"Kaithi", "Kthi"}},
    {{"Kannada", "Knda"}},
    {{"Katakana", "Kana"}},
    {{"Kawi", "Kawi"}},
    {{"Kayah_Li", "Kali"}},
    {{"Kharoshthi", "Khar"}},
    {{"Khitan_Small_Script", "Kits"}},
    {{"Khmer", "Khmr"}},
    {{"Khojki", "Khoj"}},
    {{"Khudawadi", "Sind"}},
    {{"Kirat_Rai", "Krai"}},
    {{"Lao", "Laoo"}},
    {{"Latin", "Latn"}},
    {{"Lepcha", "Lepc"}},
    {{"Limbu", "Limb"}},
    {{"Linear_A", "Lina"}},
    {{"Linear_B", "Linb"}},
    {{"Lisu", "Lisu"}},
    {{"Lycian", "Lyci"}},
    {{"Lydian", "Lydi"}},
    {{"Mahajani", "Mahj"}},
    {{"Makasar", "Maka"}},
    {{"Malayalam", "Mlym"}},
    {{"Mandaic", "Mand"}},
    {{"Manichaean", "Mani"}},
    {{"Marchen", "Marc"}},
    {{"Masaram_Gondi", "Gonm"}},
    {{"Medefaidrin", "Medf"}},
    {{"Meetei_Mayek", "Mtei"}},
    {{"Mende_Kikakui", "Mend"}},
    {{"Meroitic_Cursive", "Merc"}},
    {{"Meroitic_Hieroglyphs", "Mero"}},
    {{"Miao", "Plrd"}},
    {{"Modi", "Modi"}},
    {{"Mongolian", "Mong"}},
    {{"Mro", "Mroo"}},
    {{"Multani", "Mult"}},
    {{"Myanmar", "Mymr"}},
    {{"Nabataean", "Nbat"}},
    {{"Nag_Mundari", "Nagm"}},
    {{"Nandinagari", "Nand"}},
    {{"New_Tai_Lue", "Talu"}},
    {{"Newa", "Newa"}},
    {{"Nko", "Nkoo"}},
    {{"Nushu", "Nshu"}},
    {{"Nyiakeng_Puachue_Hmong", "Hmnp"}},
    {{"Ogham", "Ogam"}},
    {{"Ol_Chiki", "Olck"}},
    {{"Ol_Onal", "Onao"}},
    {{"Old_Hungarian", "Hung"}},
    {{"Old_Italic", "Ital"}},
    {{"Old_North_Arabian", "Narb"}},
    {{"Old_Permic", "Perm"}},
    {{"Old_Persian", "Xpeo"}},
    {{"Old_Sogdian", "Sogo"}},
    {{"Old_South_Arabian", "Sarb"}},
    {{"Old_Turkic", "Orkh"}},
    {{"Old_Uyghur", "Ougr"}},
    {{"Oriya", "Orya"}},
    {{"Osage", "Osge"}},
    {{"Osmanya", "Osma"}},
    {{"Pahawh_Hmong", "Hmng"}},
    {{"Palmyrene", "Palm"}},
    {{"Pau_Cin_Hau", "Pauc"}},
    {{"Phags_Pa", "Phag"}},
    {{"Phoenician", "Phnx"}},
    {{"Psalter_Pahlavi", "Phlp"}},
    {{"Rejang", "Rjng"}},
    {{"Runic", "Runr"}},
    {{"Samaritan", "Samr"}},
    {{"Saurashtra", "Saur"}},
    {{"Sharada", "Shrd"}},
    {{"Shavian", "Shaw"}},
    {{"Siddham", "Sidd"}},
    {{"Sidetic", "Sidt"}},
    {{"SignWriting", "Sgnw"}},
    {{"Sinhala", "Sinh"}},
    {{"Sogdian", "Sogd"}},
    {{"Sora_Sompeng", "Sora"}},
    {{"Soyombo", "Soyo"}},
    {{"Sundanese", "Sund"}},
    {{"Sunuwar", "Sunu"}},
    {{"Syloti_Nagri", "Sylo"}},
    {{"Syriac", "Syrc"}},
    {{"Tagalog", "Tglg"}},
    {{"Tagbanwa", "Tagb"}},
    {{"Tai_Le", "Tale"}},
    {{"Tai_Tham", "Lana"}},
    {{"Tai_Viet", "Tavt"}},
    {{"Tai_Yo", "Tayo"}},
    {{"Takri", "Takr"}},
    {{"Tamil", "Taml"}},
    {{"Tangsa", "Tnsa"}},
    {{"Tangut", "Tang"}},
    {{"Telugu", "Telu"}},
    {{"Thaana", "Thaa"}},
    {{"Thai", "Thai"}},
    {{"Tibetan", "Tibt"}},
    {{"Tifinagh", "Tfng"}},
    {{"Tirhuta", "Tirh"}},
    {{"Todhri", "Todr"}},
    {{"Tolong_Siki", "Tols"}},
    {{"Toto", "Toto"}},
    {{"Tulu_Tigalari", "Tutg"}},
    {{"Ugaritic", "Ugar"}},
    {{"Unknown", "Zzzz"}},
    {{"Vai", "Vaii"}},
    {{"Vithkuqi", "Vith"}},
    {{"Wancho", "Wcho"}},
    {{"Warang_Citi", "Wara"}},
    {{"Yezidi", "Yezi"}},
    {{"Yi", "Yiii"}},
    {{"Zanabazar_Square", "Zanb"}},
};

/* PCRE2 gets the first name. */
static const haft__ecma_property_names binaries[] = {
    {{"ASCII"}},
    {{"ASCII_Hex_Digit", "AHex"}},
    {{"Alphabetic", "Alpha"}},
    {{"Any"}},
    {{"Assigned"}},
    {{"Bidi_Control", "Bidi_C"}},
    {{"Bidi_Mirrored", "Bidi_M"}},
    {{"Case_Ignorable", "CI"}},
    {{"Cased"}},
    {{"Changes_When_Casefolded", "CWCF"}},
    {{"Changes_When_Casemapped", "CWCM"}},
    {{"Changes_When_Lowercased", "CWL"}},
    {{"Changes_When_NFKC_Casefolded", "CWKCF"}},
    {{"Changes_When_Titlecased", "CWT"}},
    {{"Changes_When_Uppercased", "CWU"}},
    {{"Dash"}},
    {{"Default_Ignorable_Code_Point", "DI"}},
    {{"Deprecated", "Dep"}},
    {{"Diacritic", "Dia"}},
    {{"Emoji"}},
    {{"Emoji_Component", "EComp"}},
    {{"Emoji_Modifier", "EMod"}},
    {{"Emoji_Modifier_Base", "EBase"}},
    {{"Emoji_Presentation", "EPres"}},
    {{"Extended_Pictographic", "ExtPict"}},
    {{"Extender", "Ext"}},
    {{"Grapheme_Base", "Gr_Base"}},
    {{"Grapheme_Extend", "Gr_Ext"}},
    {{"Hex_Digit", "Hex"}},
    {{"IDS_Binary_Operator", "IDSB"}},
    {{"IDS_Trinary_Operator", "IDST"}},
    {{"ID_Continue", "IDC"}},
    {{"ID_Start", "IDS"}},
    {{"Ideographic", "Ideo"}},
    {{"Join_Control", "Join_C"}},
    {{"Logical_Order_Exception", "LOE"}},
    {{"Lowercase", "Lower"}},
    {{"Math"}},
    {{"Noncharacter_Code_Point", "NChar"}},
    {{"Pattern_Syntax", "Pat_Syn"}},
    {{"Pattern_White_Space", "Pat_WS"}},
    {{"Quotation_Mark", "QMark"}},
    {{"Radical"}},
    {{"Regional_Indicator", "RI"}},
    {{"Sentence_Terminal", "STerm"}},
    {{"Soft_Dotted", "SD"}},
    {{"Terminal_Punctuation", "Term"}},
    {{"Unified_Ideograph", "UIdeo"}},
    {{"Uppercase", "Upper"}},
    {{"Variation_Selector", "VS"}},
    {{"White_Space", "space"}},
    {{"XID_Continue", "XIDC"}},
    {{"XID_Start", "XIDS"}},
};

const haft__ecma_property_names *haft__ecma_properties(haft__ecma_property_kind kind,
                                                       size_t *ret_count)
{
    switch (kind) {
    case HAFT__ECMA_CATEGORY: *ret_count = COUNT(categories); return categories;
    case HAFT__ECMA_SCRIPT: *ret_count = COUNT(scripts); return scripts;
    case HAFT__ECMA_BINARY: *ret_count = COUNT(binaries); return binaries;
    }
    HAFT__UNREACHABLE();
}

static const haft__ecma_property_names *find(haft__ecma_property_kind kind, haft_str text)
{
    size_t count;
    const haft__ecma_property_names *rows = haft__ecma_properties(kind, &count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < COUNT(rows[i].name) && rows[i].name[j] != NULL; j++) {
            if (haft__str_equal(text, haft__str(rows[i].name[j]))) {
                return &rows[i];
            }
        }
    }
    return NULL;
}

static void add(haft__buf *buf, bool negated, const char *prefix, const char *name)
{
    haft__buf_add_str(buf, negated ? HAFT__LIT("\\P{") : HAFT__LIT("\\p{"));
    haft__buf_add_str(buf, haft__str(prefix));
    haft__buf_add_str(buf, haft__str(name));
    haft__buf_add_char(buf, '}');
}

static bool add_lone(haft_str text, bool negated, haft__buf *buf)
{
    const haft__ecma_property_names *row = find(HAFT__ECMA_CATEGORY, text);
    if (row != NULL) {
        add(buf, negated, "", row->name[1]);
        return true;
    }
    row = find(HAFT__ECMA_BINARY, text);
    if (row == NULL) {
        return false;
    }
    if (haft__str_equal(text, HAFT__LIT("Assigned"))) {
        add(buf, !negated, "", "Cn"); /* PCRE2 only has a name for the complement */
    } else {
        add(buf, negated, "", row->name[0]);
    }
    return true;
}

static const struct {
    haft_str name;
    haft__ecma_property_kind kind;
    const char *prefix; /* PCRE2's */
} keys[] = {
    {{"General_Category", 16}, HAFT__ECMA_CATEGORY, ""},
    {{"gc", 2}, HAFT__ECMA_CATEGORY, ""},
    {{"Script", 6}, HAFT__ECMA_SCRIPT, "sc:"},
    {{"sc", 2}, HAFT__ECMA_SCRIPT, "sc:"},
    {{"Script_Extensions", 17}, HAFT__ECMA_SCRIPT, "scx:"},
    {{"scx", 3}, HAFT__ECMA_SCRIPT, "scx:"},
};

bool haft__ecma_property(haft_str text, bool negated, haft__buf *ret_buf)
{
    haft_str value = text;
    haft_str key = haft__str_split(&value, '=');
    if (key.len == text.len) {
        return add_lone(text, negated, ret_buf);
    }
    for (size_t i = 0; i < COUNT(keys); i++) {
        const haft__ecma_property_names *row =
            haft__str_equal(key, keys[i].name) ? find(keys[i].kind, value) : NULL;
        if (row != NULL) {
            add(ret_buf, negated, keys[i].prefix, row->name[1]);
            return true;
        }
    }
    return false;
}

static void offer(haft__suggestion *near, haft__ecma_property_kind kind)
{
    size_t count;
    const haft__ecma_property_names *rows = haft__ecma_properties(kind, &count);
    for (size_t i = 0; i < count; i++) {
        haft__suggestion_offer(near, haft__str(rows[i].name[0]));
    }
}

haft_status haft__ecma_hint_property(haft_str text, haft_status status, haft_error *err)
{
    haft_str value = text;
    haft_str key = haft__str_split(&value, '=');
    bool lone = key.len == text.len;
    haft__suggestion near;
    haft__suggestion_init(&near, lone ? text : value);
    if (lone || haft__str_equal(key, keys[0].name) || haft__str_equal(key, keys[1].name)) {
        offer(&near, HAFT__ECMA_CATEGORY);
        offer(&near, HAFT__ECMA_BINARY);
    }
    haft_str property = near.best;
    offer(&near, HAFT__ECMA_SCRIPT);
    if (near.best.ptr == NULL) {
        return haft__hint(
            err, status, "names are spelled as in Unicode: \\p{Letter}, \\p{L}, \\p{Script=Greek}");
    }
    return haft__hint(err, status, "did you mean \\p{%s%.*s}?",
                      near.best.ptr == property.ptr ? "" : "Script=", HAFT__ARG(near.best));
}
