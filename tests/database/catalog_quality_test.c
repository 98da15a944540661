/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quality of search_schemas on three schemas that its weights were not chosen on: how many of
 * the needed tables and columns are in the first 1, 3 and 5 tables. docs/databases.md has the
 * figures.
 */
#include "base/limits.h"
#include "database/catalog_build.h"
#include "database/catalog_search.h"
#include "test.h"

/* "table: column column" */
static const char *const library[] = {
    "authors: author_id full_name born nationality",
    "books: isbn title author_id publisher_id published_year language pages",
    "publishers: publisher_id name country",
    "copies: copy_id isbn shelf condition",
    "members: member_id name joined_on expires_on email",
    "loans: loan_id copy_id member_id borrowed_on due_on returned_on",
    "fines: fine_id loan_id amount paid",
    "reservations: reservation_id isbn member_id requested_on",
    "staff: staff_id name role branch_id",
    "branches: branch_id name city opening_hours",
    NULL};
static const char *const hospital[] = {
    "patients: patient_id first_name last_name date_of_birth blood_group",
    "physicians: physician_id name speciality ward_id",
    "wards: ward_id name floor beds",
    "admissions: admission_id patient_id ward_id admitted_at discharged_at",
    "diagnoses: diagnosis_id admission_id icd_code description",
    "prescriptions: prescription_id patient_id physician_id drug_id dose",
    "drugs: drug_id name manufacturer unit_price",
    "appointments: appointment_id patient_id physician_id scheduled_at cancelled",
    "lab_results: result_id patient_id test_name value measured_at",
    "invoices: invoice_id patient_id total issued_on settled",
    NULL};
static const char *const airline[] = {
    "airports: iata_code name city country",
    "aircraft: tail_number model seats first_flight",
    "flights: flight_id number origin destination departs_at arrives_at tail_number",
    "passengers: passenger_id name passport_number",
    "bookings: booking_id passenger_id flight_id seat fare booked_at",
    "crew: crew_id name rank base_airport",
    "crew_assignments: flight_id crew_id duty",
    "delays: flight_id minutes cause",
    "baggage: tag_number booking_id weight_kg lost",
    "maintenance: work_id tail_number performed_on hours description",
    NULL};

/* A question, and the columns that its query needs. */
static const struct {
    const char *const *schema;
    const char *question;
    const char *needed;
} questions[] = {
    {library, "Which books were written by Ursula Le Guin?", "books.title authors.full_name"},
    {library, "How many books are longer than 500 pages?", "books.pages"},
    {library, "Who has borrowed something that is overdue?", "loans.due_on members.name"},
    {library, "What is the total of unpaid fines?", "fines.amount fines.paid"},
    {library, "Which cities have a branch?", "branches.city"},
    {library, "Which publishers are from Italy?", "publishers.country"},
    {library, "Members whose membership expires this month", "members.expires_on"},
    {library, "On which shelf is a damaged copy?", "copies.shelf copies.condition"},
    {library, "How many people wait for a reserved title?", "reservations.isbn"},
    {library, "What do the employees of each branch do?", "staff.role branches.name"},
    {hospital, "How many patients have blood group AB?", "patients.blood_group"},
    {hospital, "Which doctors work in cardiology?", "physicians.speciality"},
    {hospital, "Who was discharged yesterday?", "admissions.discharged_at"},
    {hospital, "Which drug is the most expensive?", "drugs.unit_price"},
    {hospital, "Which wards are full?", "wards.beds admissions.ward_id"},
    {hospital, "Appointments that were cancelled last week", "appointments.cancelled"},
    {hospital, "Latest glucose test values", "lab_results.value lab_results.test_name"},
    {hospital, "What is still to be paid by the patients?", "invoices.settled invoices.total"},
    {hospital, "Most common diagnosis by ICD code", "diagnoses.icd_code"},
    {hospital, "Who prescribes penicillin?", "prescriptions.physician_id drugs.name"},
    {airline, "Which flights leave from Lisbon?", "flights.origin airports.city"},
    {airline, "Average delay in minutes by cause", "delays.minutes delays.cause"},
    {airline, "How many bags were lost?", "baggage.lost"},
    {airline, "Which planes have more than 300 seats?", "aircraft.seats"},
    {airline, "Passengers without a passport", "passengers.passport_number"},
    {airline, "Total fare of all bookings by flight", "bookings.fare"},
    {airline, "Which captains are based in Rome?", "crew.rank crew.base_airport"},
    {airline, "Who works on flight 17?", "crew_assignments.crew_id crew.name"},
    {airline, "Hours of maintenance for each aircraft", "maintenance.hours"},
    {airline, "Which airport has the code LIS?", "airports.iata_code"},
};

static haft__catalog make(haft__arena *arena, const char *const *schema)
{
    haft__catalog catalog;
    haft__catalog_builder b;
    haft__catalog_builder_init(&b, arena);
    for (size_t i = 0; schema[i] != NULL; i++) {
        haft_str rest = haft__str(schema[i]), name = haft__str_split(&rest, ':');
        CHECK_INT(haft__catalog_add_table(&b, HAFT__LIT(""), name, "table", HAFT__LIT(""), NULL),
                  HAFT_OK, "%s", schema[i]);
        rest = haft__str_trim(rest);
        while (rest.len > 0) {
            haft__catalog_column column = {.name = haft__str_split(&rest, ' ')};
            CHECK_INT(haft__catalog_add_column(&b, &column, NULL), HAFT_OK, "%s", schema[i]);
        }
    }
    CHECK_INT(haft__catalog_build(&b, &catalog, NULL), HAFT_OK, "build");
    return catalog;
}

/* Whether the result shows the column: "table NAME" and later a line with the column, before the
 * next table. */
static bool shows(haft_str result, haft_str table, haft_str column)
{
    bool inside = false, found = false;
    while (result.len > 0) {
        haft_str line = haft__str_split(&result, '\n'), rest = line;
        if (haft__str_equal(haft__str_split(&rest, ' '), HAFT__LIT("table"))) {
            inside = haft__str_equal(haft__str_split(&rest, ','), table);
        }
        found |= inside && haft__str_equal(haft__str_trim(line), column);
    }
    return found;
}

/* The percentage of needed columns in the first `limit` tables. */
static unsigned recall(uint64_t limit)
{
    size_t needed = 0, found = 0;
    for (size_t i = 0; i < COUNT(questions); i++) {
        haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
        haft__search_index *index = NULL;
        haft__arena arena;
        haft__buf result;
        haft__arena_init(&arena, 0);
        haft__buf_init(&result, HAFT__LIMIT_SQL_CATALOG_BYTES);
        haft__catalog_source source = {.database = HAFT__LIT("d"),
                                       .catalog = make(&arena, questions[i].schema)};
        CHECK(haft__search_create(&options, &index, NULL) == HAFT_OK
                  && haft__catalog_index(&source, 1, index, NULL) == HAFT_OK
                  && haft__catalog_search(&source, 1, index, haft__str(questions[i].question),
                                          limit, &result, NULL)
                         == HAFT_OK,
              "%s", questions[i].question);
        haft_str rest = haft__str(questions[i].needed);
        while (rest.len > 0) {
            haft_str column = haft__str_split(&rest, ' '), table = haft__str_split(&column, '.');
            needed++;
            found += shows(haft__buf_str(&result), table, column);
        }
        haft__search_destroy(index);
        haft__buf_finish(&result);
        haft__arena_finish(&arena);
    }
    return (unsigned)(100 * found / needed);
}

TEST(needed_tables_and_columns_are_found_in_new_schemas)
{
    unsigned at1 = recall(1), at3 = recall(3), at5 = recall(5);
    printf("# recall of columns at 1, 3, 5 tables, without word vectors: %u %u %u\n", at1, at3,
           at5);
    CHECK(at1 >= 50, "at 1: %u", at1);
    CHECK(at3 >= 75, "at 3: %u", at3);
    CHECK(at5 >= 80, "at 5: %u", at5);
}
