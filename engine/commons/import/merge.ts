import { isObject, type Json, type JsonObject, textIn } from '../../shared/input/json-value.ts'
import { CLINICAL_IDS } from './clinical-ids.ts'
import { termsOf } from './terms.ts'

/** Number of conflicts between sources, keyed by member path. */
export type Conflicts = Map<string, number>

/** A difference between two sources. The second value was taken. */
export interface Conflict {
  readonly path: string
  readonly values: readonly [Json, Json]
}

interface MergeOptions {
  /** Whether the second record outranks the first, so that differences are no conflicts. */
  readonly isStronger: boolean
  readonly conflicts: Conflicts
  /**
   * Whether the first record has the rank `hearsay`. Some of its differences are conflicts although the second
   * record outranks it (isConflict).
   */
  readonly isHearsay?: boolean
  readonly onConflict?: ((conflict: Conflict) => void) | undefined
}

/** Id member of a list's elements, keyed by the list's name. */
const ELEMENT_IDS: Readonly<Record<string, string>> = {
  ...CLINICAL_IDS,
  annotations: 'annotation_id',
  associated_entities: 'entity_id',
  data_categories: 'data_category',
  downstream_analyses: 'analysis_id',
  experimental_strategies: 'experimental_strategy',
  index_files: 'file_id',
  input_files: 'file_id',
  metadata_files: 'file_id',
  observation: 'observation_id',
  output_files: 'file_id',
  read_group_qcs: 'read_group_qc_id',
  read_groups: 'read_group_id',
  transcripts: 'transcript_id',
}

/**
 * Returns whether two lists of plain values are merged into a list of all their values. Otherwise the later list
 * replaces the earlier list.
 */
const isGrowing = (name: string, path: string) =>
  (path === '' && (name.endsWith('_ids') || GROWING.has(name))) || path === 'external_db_ids'

/** Lists to which each source of variants adds data of its own kind, or each table adds its own catalogue ids. */
const GROWING: ReadonlySet<string> = new Set(['available_variation_data', 'catalog_id'])

/**
 * Merges a second description of a record into the first, in place. Objects are merged member by member. In two
 * lists, objects with the same id are merged. Of two single values, the second is kept unless it is null.
 * Merging a record twice has the same result as merging it once.
 */
export function mergeInto(first: JsonObject, second: JsonObject, options: MergeOptions): void {
  mergeObjects(first, second, '', options)
}

function mergeObjects(
  first: JsonObject,
  second: JsonObject,
  path: string,
  options: MergeOptions,
): void {
  for (const name of Object.keys(second)) {
    const value = second[name]
    if (value === undefined) continue
    const known = Object.hasOwn(first, name) ? first[name] : undefined
    if (known === undefined || known === null) first[name] = value
    else if (value !== null) first[name] = merged(known, value, name, path, options)
  }
}

function merged(known: Json, value: Json, name: string, path: string, options: MergeOptions): Json {
  if (isObject(known) && isObject(value)) {
    mergeObjects(known, value, join(path, name), options)
    return known
  }
  if (Array.isArray(known) && Array.isArray(value)) {
    if (known.some(isObject) || value.some(isObject)) {
      const [one, other] = [known.filter(isObject), value.filter(isObject)]
      return mergeLists(one, other, name, join(path, name), options)
    }
    if (isGrowing(name, path)) return [...new Set([...known, ...value])]
    if (value.length === 0) return known
  }
  if (!isEqual(known, value) && isConflict(known, value, name, options)) {
    const full = join(path, name)
    options.conflicts.set(full, (options.conflicts.get(full) ?? 0) + 1)
    options.onConflict?.({ path: full, values: [known, value] })
  }
  return value
}

/**
 * Returns whether a difference is a conflict. A stronger record may replace any value. Sources of the rank
 * `hearsay` write diseases and ages in their own way, so only differences in the days to death, and between known
 * terms, are conflicts with them.
 */
function isConflict(
  known: Json,
  value: Json,
  name: string,
  { isStronger, isHearsay }: MergeOptions,
): boolean {
  if (!isStronger) return true
  if (isHearsay !== true) return false
  if (name === 'days_to_death') return true
  const terms = termsOf(name)
  return terms !== undefined && ![known, value].some((each) => terms.isUnknown(String(each)))
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

function isEqual(one: Json, other: Json): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/**
 * Merges two lists. The result has the order of the stronger list, followed by elements that only the other list
 * has.
 */
function mergeLists(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
  name: string,
  path: string,
  options: MergeOptions,
): JsonObject[] {
  const partners = partnersIn(first, second, name)
  const result: JsonObject[] = options.isStronger ? [] : [...first]
  second.forEach((element, i) => {
    const partner = partners[i]
    if (partner) mergeObjects(partner, element, path, options)
    if (options.isStronger) {
      if (!partner || !result.includes(partner)) result.push(partner ?? element)
    } else if (!partner) result.push(element)
  })
  if (!options.isStronger) return result
  const used = new Set(partners)
  return [...result, ...first.filter((element) => !used.has(element))]
}

/** Length of a list below which a linear search is faster than an index. */
const FEW = 8

/**
 * Returns, for each element of the second list, the element of the first that describes the same entity.
 * Entities are matched by id, by submitter id, or otherwise by position. A clinical entity without a name is
 * never matched to one with a name (clinical-entities.ts), so positions count only unnamed entities.
 */
function partnersIn(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
  name: string,
): readonly (JsonObject | undefined)[] {
  const idMember = Object.hasOwn(ELEMENT_IDS, name) ? ELEMENT_IDS[name] : undefined
  const idOf = (element: JsonObject) =>
    idMember === undefined ? variantPartId(name, element) : textIn(element[idMember])
  const nameOf = (element: JsonObject) => textIn(element.submitter_id)
  const isNameless = (element: JsonObject) =>
    idOf(element) === undefined && nameOf(element) === undefined
  const isClinical = Object.hasOwn(CLINICAL_IDS, name)
  const byId = finderBy(first, idOf)
  const byName = finderBy(first, nameOf)
  const nameless = isClinical ? first.filter(isNameless) : []
  let passed = 0

  return second.map((element, position) => {
    const id = idOf(element)
    const found = id === undefined ? undefined : byId(id)
    if (found) return found
    const submitterId = nameOf(element)
    const named = submitterId === undefined ? undefined : byName(submitterId)
    if (named && (id === undefined || idOf(named) === undefined)) return named
    if (isClinical) return isNameless(element) ? nameless[passed++] : undefined
    const there = first[position]
    if (!there || named) return undefined
    return isNameless(element) || isNameless(there) ? there : undefined
  })
}

function finderBy(
  elements: readonly JsonObject[],
  key: (element: JsonObject) => string | undefined,
): (wanted: string) => JsonObject | undefined {
  if (elements.length < FEW) return (wanted) => elements.find((each) => key(each) === wanted)
  const index = new Map<string, JsonObject>()
  for (const element of elements) {
    const value = key(element)
    if (value !== undefined && !index.has(value)) index.set(value, element)
  }
  return (wanted) => index.get(wanted)
}

/**
 * Returns the id of the transcript or gene that a variant's consequence affects, which identifies the
 * consequence.
 */
function variantPartId(name: string, element: JsonObject): string | undefined {
  if (name !== 'consequence') return undefined
  const { transcript, gene } = element
  if (isObject(transcript)) return textIn(transcript.transcript_id)
  return isObject(gene) ? textIn(gene.gene_id) : undefined
}
