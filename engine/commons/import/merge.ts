import { isObject, type Json, type JsonObject, textIn } from '../../shared/input/json-value.ts'

/** How often two sources of equal standing said different things, by path. */
export type Conflicts = Map<string, number>

export interface MergeOptions {
  /** The second record's word counts more than the first one's, so their differing is no conflict. */
  readonly isStronger: boolean
  readonly conflicts: Conflicts
}

/** The member that tells the elements of a list apart, by the list's name. */
const ELEMENT_IDS: Readonly<Record<string, string>> = {
  aliquots: 'aliquot_id',
  analytes: 'analyte_id',
  annotations: 'annotation_id',
  associated_entities: 'entity_id',
  cases: 'case_id',
  data_categories: 'data_category',
  diagnoses: 'diagnosis_id',
  downstream_analyses: 'analysis_id',
  experimental_strategies: 'experimental_strategy',
  exposures: 'exposure_id',
  family_histories: 'family_history_id',
  follow_ups: 'follow_up_id',
  index_files: 'file_id',
  input_files: 'file_id',
  metadata_files: 'file_id',
  molecular_tests: 'molecular_test_id',
  observation: 'observation_id',
  other_clinical_attributes: 'other_clinical_attribute_id',
  output_files: 'file_id',
  pathology_details: 'pathology_detail_id',
  portions: 'portion_id',
  read_group_qcs: 'read_group_qc_id',
  read_groups: 'read_group_id',
  samples: 'sample_id',
  slides: 'slide_id',
  transcripts: 'transcript_id',
  treatments: 'treatment_id',
}

/** Elements without any name are one and the same in these: wrappers that no source identifies. */
const WRAPPERS: ReadonlySet<string> = new Set(['samples', 'portions', 'analytes', 'slides'])

/** Lists of names that only ever grow; of all others the later one replaces the earlier. */
const isGrowing = (name: string, path: string) =>
  (path === '' && (name.endsWith('_ids') || GROWING.has(name))) || path === 'external_db_ids'

/** Each source of variants knows its own kind of data, each table its ids of other catalogues. */
const GROWING: ReadonlySet<string> = new Set(['available_variation_data', 'catalog_id'])

/**
 * Adds what a second description of a record says to the first, in place: objects member by member,
 * lists of objects element by element as their ids tell them apart, and of single values the second
 * unless it is null. Merging the same twice changes nothing.
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
  if (!isEqual(known, value) && !options.isStronger) {
    const full = join(path, name)
    options.conflicts.set(full, (options.conflicts.get(full) ?? 0) + 1)
  }
  return value
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

function isEqual(one: Json, other: Json): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** The order is the stronger one's; what only the other has follows. */
function mergeLists(
  first: readonly JsonObject[],
  second: readonly JsonObject[],
  name: string,
  path: string,
  options: MergeOptions,
): JsonObject[] {
  const find = finderIn(first, name)
  const partners = second.map((element, i) => find(element, i))
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

/** Below this many elements looking at each is faster than an index. */
const FEW = 8

type Finder = (element: JsonObject, position: number) => JsonObject | undefined

/** Finds the element that describes the same thing: by id, by submitter's name, by position. */
function finderIn(elements: readonly JsonObject[], name: string): Finder {
  const idMember = Object.hasOwn(ELEMENT_IDS, name) ? ELEMENT_IDS[name] : undefined
  const idOf = (element: JsonObject) =>
    idMember === undefined ? variantPartId(name, element) : textIn(element[idMember])
  const nameOf = (element: JsonObject) => textIn(element.submitter_id)
  const findBy = (key: (element: JsonObject) => string | undefined) => {
    if (elements.length < FEW) {
      return (wanted: string) => elements.find((element) => key(element) === wanted)
    }
    const index = new Map<string, JsonObject>()
    for (const element of elements) {
      const value = key(element)
      if (value !== undefined && !index.has(value)) index.set(value, element)
    }
    return (wanted: string) => index.get(wanted)
  }
  const byId = findBy(idOf)
  const byName = findBy(nameOf)
  const isNameless = (element: JsonObject) =>
    idOf(element) === undefined && nameOf(element) === undefined

  return (element, position) => {
    const id = idOf(element)
    const found = id === undefined ? undefined : byId(id)
    if (found) return found
    const submitterId = nameOf(element)
    const named = submitterId === undefined ? undefined : byName(submitterId)
    if (named && (id === undefined || idOf(named) === undefined)) return named
    const isWrapper = WRAPPERS.has(name)
    if (isWrapper) return isNameless(element) ? elements.find(isNameless) : undefined
    const there = elements[position]
    if (!there || named) return undefined
    return isNameless(element) || isNameless(there) ? there : undefined
  }
}

/** Consequences of a variant are told apart by what they hit. */
function variantPartId(name: string, element: JsonObject): string | undefined {
  if (name !== 'consequence') return undefined
  const { transcript, gene } = element
  if (isObject(transcript)) return textIn(transcript.transcript_id)
  return isObject(gene) ? textIn(gene.gene_id) : undefined
}
