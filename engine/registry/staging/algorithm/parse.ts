import { EngineError } from '../../../shared/errors.ts'
import {
  type Reader,
  readFlag,
  readList,
  readMembers,
  readNumber,
  readOneOf,
  readText,
} from '../../../shared/input/json-members.ts'
import {
  type Cell,
  COLUMN_TYPES,
  type Column,
  type FromTo,
  type GlossaryTerm,
  type KeyValue,
  type Mapping,
  type Metadata,
  ON_INVALID_INPUT,
  type SchemaInput,
  type SchemaOutput,
  type StagingSchema,
  type StagingTable,
  type TablePath,
} from './model.ts'
import type { InputMap } from './result.ts'

const readTexts = readList(readText)

const readWholeMetadata = readMembers<Metadata>(
  { name: readText },
  { start: readNumber, end: readNumber },
)
/** Older algorithms have plain names (registry.md 3, Metadata). */
const readMetadata: Reader<Metadata> = (value, at) =>
  readWholeMetadata(typeof value === 'string' ? { name: value } : value, at)

const readKeyValues = readList(readMembers<KeyValue>({ key: readText }, { value: readText }))
const readPairs = readList(readMembers<FromTo>({ from: readText, to: readText }, {}))

const readInput = readMembers<SchemaInput>(
  { key: readText },
  {
    name: readText,
    description: readText,
    naaccr_item: readNumber,
    naaccr_xml_id: readText,
    default: readText,
    default_table: readText,
    table: readText,
    used_for_staging: readFlag,
    unit: readText,
    decimal_places: readNumber,
    metadata: readList(readMetadata),
  },
)

const readOutput = readMembers<SchemaOutput>(
  { key: readText },
  {
    name: readText,
    description: readText,
    naaccr_item: readNumber,
    naaccr_xml_id: readText,
    table: readText,
    default: readText,
    metadata: readList(readMetadata),
  },
)

const readTablePaths = readList(
  readMembers<TablePath>(
    { id: readText },
    { input_mapping: readPairs, output_mapping: readPairs, inputs: readTexts, outputs: readTexts },
  ),
)

const readMapping = readMembers<Mapping>(
  {},
  {
    id: readText,
    name: readText,
    inclusion_tables: readTablePaths,
    exclusion_tables: readTablePaths,
    initial_context: readKeyValues,
    tables: readTablePaths,
  },
)

/** Optional texts common to schemas and tables. */
const ENTITY_TEXTS = {
  algorithm: readText,
  version: readText,
  name: readText,
  title: readText,
  subtitle: readText,
  description: readText,
  notes: readText,
  last_modified: readText,
}

const readSchema = readMembers<StagingSchema>(
  { id: readText, schema_selection_table: readText, inputs: readList(readInput) },
  {
    ...ENTITY_TEXTS,
    schema_num: readNumber,
    schema_discriminators: readTexts,
    initial_context: readKeyValues,
    outputs: readList(readOutput),
    mappings: readList(readMapping),
    involved_tables: readTexts,
    on_invalid_input: readOneOf(ON_INVALID_INPUT),
  },
)

const readCell: Reader<Cell> = (value, at) => (value === null ? null : readText(value, at))

const readTable = readMembers<StagingTable>(
  {
    id: readText,
    definition: readList(
      readMembers<Column>(
        { type: readOneOf(COLUMN_TYPES) },
        { key: readText, name: readText, source: readText },
      ),
    ),
    rows: readList(readList(readCell)),
  },
  {
    ...ENTITY_TEXTS,
    rationale: readText,
    additional_info: readText,
    coding_guidelines: readText,
    footnotes: readText,
    extra_input: readTexts,
  },
)

const readTerm = readMembers<GlossaryTerm>(
  { id: readText, name: readText },
  {
    definition: readText,
    alternate_names: readTexts,
    category: readTexts,
    last_modified: readText,
  },
)

/**
 * Parses a schema (registry.md 3). The result is frozen, and unknown members are dropped.
 * @throws EngineError `bad_input`, naming the member that is missing or of another type
 */
export function parseSchema(value: unknown): StagingSchema {
  return readSchema(value, '')
}

/**
 * Parses a table (registry.md 3). The result is frozen, and unknown members are dropped.
 * @throws EngineError `bad_input`, naming the member that is missing or of another type
 */
export function parseTable(value: unknown): StagingTable {
  return readTable(value, '')
}

/**
 * Parses a glossary term of an algorithm archive, whose id is its file name.
 * @throws EngineError `bad_input`, naming the member that is missing or of another type
 */
export function parseTerm(value: unknown, id: string): GlossaryTerm {
  const named = typeof value === 'object' && !Array.isArray(value) ? { ...value, id } : value
  return readTerm(named, '')
}

/** Exceed the number of inputs of any schema and the length of any code. */
const MAX_KEYS = 10_000
const LONGEST_TEXT = 10_000

/**
 * Parses the body of stage, lookup, defaults and match: an object of texts and nulls (registry.md 2.5). Very
 * long texts are refused, because staging errors repeat values.
 * @throws EngineError `bad_input` for anything else, naming the member but not its value
 */
export function parseInputMap(value: unknown): InputMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EngineError('bad_input', 'the body is no object; give keys with texts', { at: '' })
  }
  const members = value as Record<string, unknown>
  let count = 0
  for (const key in members) {
    const member = members[key]
    count++
    if (typeof member !== 'string' && member !== null) {
      const message = `"${shortened(key)}" is no text; give a JSON string or null`
      throw new EngineError('bad_input', message, { at: shortened(key) })
    }
    if (key.length > LONGEST_TEXT || (member?.length ?? 0) > LONGEST_TEXT) {
      const message = `"${shortened(key)}" is longer than ${LONGEST_TEXT} characters`
      throw new EngineError('bad_input', message, { at: shortened(key) })
    }
  }
  if (count > MAX_KEYS) {
    throw new EngineError('bad_input', `the body has ${count} keys; give up to ${MAX_KEYS}`)
  }
  return members as InputMap
}

function shortened(key: string): string {
  return key.length > 100 ? `${key.slice(0, 100)}…` : key
}
