import { beforeAll, expect, test } from 'vitest'
import { inlineExecutor } from '../../shared/executor.ts'
import { Dictionary, OWN_DICTIONARY } from '../dictionary/dictionary.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import { DocumentValidator } from './document-validator.ts'
import type { EntityDocument } from './submitted.ts'

let validator: DocumentValidator
let types: ReadonlyMap<string, EntityType>
beforeAll(async () => {
  const dictionary = await Dictionary.load(OWN_DICTIONARY, inlineExecutor)
  validator = new DocumentValidator(dictionary)
  types = dictionary.types
})

const CASE = { type: 'case', submitter_id: 'C', disease_type: 'Gliomas', primary_site: 'Brain' }

function validated(document: EntityDocument, isPartial = false) {
  const type = types.get(String(document.type))
  if (!type) throw new Error('no such type')
  return validator.validate(document, type, { isPartial })
}

/** `keys type message` of each error. */
function messagesOf(document: EntityDocument): readonly string[] {
  return validated(document).errors.map(
    ({ keys, type, message }) => `${keys.join('+')} ${type} ${message}`,
  )
}

// The wordings are the forms of submission.md 7.4 and 7.7.
test.each<[EntityDocument, string]>([
  [{ ...CASE, days_to_consent: 'x' }, "days_to_consent INVALID_VALUE 'x' is not of type 'integer'"],
  [
    { ...CASE, days_to_consent: true },
    "days_to_consent INVALID_VALUE True is not of type 'integer'",
  ],
  [{ ...CASE, batch_id: 1e30 }, "batch_id INVALID_VALUE 1e+30 is not of type 'integer'"],
  [
    { ...CASE, days_to_consent: 32873 },
    'days_to_consent ERROR 32873 is greater than the maximum of 32872',
  ],
  [
    { ...CASE, days_to_consent: -(2n ** 62n) },
    'days_to_consent ERROR -4611686018427387904 is less than the minimum of -32872',
  ],
  [
    { ...CASE, lost_to_followup: null },
    "lost_to_followup ERROR None is not one of ['Yes', 'No', 'Unknown']",
  ],
  [
    { ...CASE, lost_to_followup: ["it's", { a: false }] },
    "lost_to_followup ERROR [\"it's\", {'a': False}] is not one of ['Yes', 'No', 'Unknown']",
  ],
  [
    { ...CASE, id: 'a\\b\u0001' },
    "id ERROR 'a\\\\b\\x01' does not match '^[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-" +
      "[a-fA-F0-9]{4}-[a-fA-F0-9]{12}$'",
  ],
  [
    { ...CASE, projects: 'INTERNAL' },
    "projects INVALID_VALUE 'INTERNAL' is not valid under any of the given schemas: " +
      "'INTERNAL' is not of type 'array' and 'INTERNAL' is not of type 'object'",
  ],
  [
    { ...CASE, created_datetime: '2020-02-30' },
    "created_datetime INVALID_VALUE '2020-02-30' is not valid under any of the given schemas: " +
      "'2020-02-30' is not a 'date-time' and '2020-02-30' is not of type 'null'",
  ],
])('%o is reported as validators report it', (document, message) => {
  expect(messagesOf(document)).toEqual([message])
})

test('what is right is accepted: exact numbers, dates in several forms, links in both forms', () => {
  for (const created_datetime of [null, '2020-02-29', '2020-02-29T12:00:00.5+01:00']) {
    const links = [{ code: 'INTERNAL' }, [{ id: 'x' }], [], null]
    for (const projects of links)
      expect(messagesOf({ ...CASE, created_datetime, projects })).toEqual([])
  }
})

test('the items of a list are reported by their places, the first twenty of them', () => {
  const diagnosis = { type: 'diagnosis', sites_of_involvement: Array(1_000_000).fill('Nowhere') }
  const issues = validated(diagnosis, true).errors
  expect(issues).toHaveLength(20)
  expect(issues[1]).toMatchObject({ keys: ['sites_of_involvement.1'], type: 'ERROR' })
})

test('long lists of values are counted from the hundredth on, long values cut', () => {
  const [issue] = validated(
    { type: 'treatment', therapeutic_agents: 'x'.repeat(5000) },
    true,
  ).errors
  expect(issue?.message).toMatch(/^'x{999}\.\.\. is not one of \[/)
  expect(issue?.message).toMatch(/, \.\.\. \(\d{4} more\)\]$/)
  expect(issue?.message.length).toBeLessThan(5000)
})

test('all that is wrong is reported: keys that are none, what is missing, then values', () => {
  expect(messagesOf({ type: 'case', consent_typ: 1, zzz: 2, batch_id: 'x' })).toEqual([
    "consent_typ INVALID_PROPERTY Key 'consent_typ' is not a valid property for type 'case'." +
      " Did you mean 'consent_type'?",
    "zzz INVALID_PROPERTY Key 'zzz' is not a valid property for type 'case'.",
    " ERROR Additional properties are not allowed ('consent_typ', 'zzz' were unexpected)",
    "submitter_id MISSING_PROPERTY 'submitter_id' is a required property",
    "disease_type MISSING_PROPERTY 'disease_type' is a required property",
    "primary_site MISSING_PROPERTY 'primary_site' is a required property",
    "batch_id INVALID_VALUE 'x' is not of type 'integer'",
  ])
})

test('a required link is missing when it names nobody', () => {
  const profile = { type: 'submitted_genomic_profile', read_groups: [] }
  const missing = "read_groups MISSING_PROPERTY 'read_groups' is a required property"
  expect(messagesOf(profile)).toContain(missing)
  expect(messagesOf({ ...profile, read_groups: null })).toContain(missing)
  expect(messagesOf({ ...profile, read_groups: { id: 'x' } })).not.toContain(missing)
})

test('a part of an entity need not hold what must be given, and is validated all the same', () => {
  expect(validated({ type: 'case', batch_id: 1 }, true)).toEqual({ errors: [], warnings: [] })
  expect(validated({ type: 'case', batch_id: '1' }, true).errors).toHaveLength(1)
})

test('what is deprecated is accepted with a warning', () => {
  const { errors, warnings } = validated(
    { type: 'submitted_aligned_reads', experimental_strategy: 'scRNA-Seq' },
    true,
  )
  expect(errors).toEqual([])
  expect(warnings).toEqual([
    {
      keys: ['experimental_strategy'],
      message: "'scRNA-Seq' is deprecated and should not be used any more.",
      type: 'INVALID_VALUE',
    },
  ])
  const old = validated({ type: 'aliquot', analyte_type_id: 'D' }, true)
  expect(old).toEqual({
    errors: [],
    warnings: [
      {
        keys: ['analyte_type_id'],
        message: "Property 'analyte_type_id' is deprecated and should not be used any more.",
        type: 'INVALID_PROPERTY',
      },
    ],
  })
})

test.each<[EntityDocument, readonly string[]]>([
  [{}, ["missing 'type'", "'type' is a required property"]],
  [{ type: null }, ["missing 'type'", "'type' is a required property"]],
  [
    { type: 'family' },
    [
      "Invalid entity type: family. Did you mean 'family_history'?",
      'specified type: family is not in the current data model',
    ],
  ],
  [
    { type: ['case'] },
    ["Invalid entity type: ['case'].", "specified type: ['case'] is not in the current data model"],
  ],
  [{ type: 'program' }, ['program is not an entity that can be upload via the project endpoint.']],
])('%j has no type that can be submitted', (document, messages) => {
  const found = validator.typeOf(document)
  expect('properties' in found ? [] : found.map(({ message }) => message)).toEqual(messages)
})

test('names that are looked up for suggestions are bounded, however many there are', () => {
  const unknown = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`consent_t${i}`, 1]))
  const { errors } = validated({ ...CASE, ...unknown })
  expect(errors).toHaveLength(2001)
  expect(errors.filter(({ message }) => message.includes('Did you mean')).length).toBeLessThan(1001)
  expect(errors.at(-1)?.message.length).toBeLessThan(3000)
})

test.each([
  ['NA', "'NA' means no value in most tables; leave it out if there is none"],
  ['nan', "'nan' means no value in most tables; leave it out if there is none"],
  ['#REF!', "'#REF!' is an error of a spreadsheet"],
  ["'S1", '"\'S1" has the marks by which spreadsheets keep texts'],
  ['="S1"', '\'="S1"\' has the marks by which spreadsheets keep texts'],
  ['Aug-03', "'Aug-03' is a date that a spreadsheet may have made of another text"],
  ['S\u200b1', "'S\u200b1' has invisible characters"],
  ['KÃ¶ln', "'KÃ¶ln' has letters that were read in a wrong encoding"],
])('a name %j is taken, with a warning', (submitter_id, message) => {
  const { errors, warnings } = validated({ ...CASE, submitter_id })
  expect([errors, warnings]).toEqual([
    [],
    [{ keys: ['submitter_id'], message, type: 'INVALID_VALUE' }],
  ])
})

test('texts of people, and terms, have no warning', () => {
  for (const submitter_id of [
    'S1',
    'S-1 (5")',
    "5' end",
    'Köln',
    'Nancy',
    '1-2',
    'None of these',
  ]) {
    expect(validated({ ...CASE, submitter_id }).warnings, submitter_id).toEqual([])
  }
  const exposure = { type: 'exposure', submitter_id: 'E', cases: [] }
  expect(validated(exposure, true).warnings).toEqual([])
})
