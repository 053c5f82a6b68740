import { nameUuid } from '../../shared/catalogue/uuid.ts'
import { type Json, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import type { Dataset, DatasetName, LinkMount, ReverseMount } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { caseInBarcode } from './biospecimen/barcode.ts'
import { eachSpecimen } from './biospecimen/levels.ts'
import { idOf, type NaturalKey } from './record-id.ts'
import { RowError } from './row-error.ts'

/** Precedence of parts of one record. Higher ranks take precedence. Within a rank, later sources do. */
export const RANKS = {
  /** From older tables, or samples of a case as its files name them. */
  hearsay: 0,
  /** From the release to which the import adds records. */
  release: 1,
  /** From a record that is embedded in another record. */
  embedded: 2,
  described: 3,
} as const

export type Rank = (typeof RANKS)[keyof typeof RANKS]

/** The document of one record, or some of its members. */
export interface Part {
  readonly dataset: DatasetName
  readonly id: string
  /** Whether the id was generated, because the source has none. */
  readonly isMade: boolean
  readonly key?: NaturalKey | undefined
  readonly rank: Rank
  /** Whether the part describes the record. Otherwise it only identifies the record. */
  readonly isDescribed: boolean
  readonly document: JsonObject
}

export type EmitPart = (part: Part) => void

/** Members that only identify a record and the records to which it belongs. */
const NAMING: Readonly<Partial<Record<DatasetName, ReadonlySet<string>>>> = {
  projects: new Set(['project_id', 'code']),
  cases: new Set(['case_id', 'submitter_id', 'project', 'samples', 'available_variation_data']),
  files: new Set(['file_id', 'cases']),
  annotations: new Set(['annotation_id']),
  ssms: new Set(['ssm_id']),
  cnvs: new Set(['cnv_id']),
  segment_cnvs: new Set(['segment_cnv_id']),
}

/**
 * Splits a tidied record into documents. Embedded records of other datasets (datasets/define.ts) are emitted for
 * their dataset and replaced by their ids. Modifies the record.
 * @returns the id of the record
 * @throws RowError if the record has neither an id nor members from which to generate one, or has a specimen
 *   of another case
 */
export function splitRecord(
  dataset: Dataset,
  record: JsonObject,
  emit: EmitPart,
  rank: Rank = RANKS.described,
): string {
  if (dataset.name === 'cases') nameByBarcodes(record, record.samples)
  const known = idOf(dataset, record)
  if (!known) throw new RowError(`the record has no ${dataset.idField}`)
  const [own, other] = [textIn(record[dataset.idField]), textIn(record.id)]
  if (own !== undefined && other !== undefined && own.toLowerCase() !== other.toLowerCase()) {
    throw new RowError(`${dataset.idField} is "${own}", and id is "${other}"; correct the record`)
  }
  emitParts({ dataset, ...known, record, rank, emit })
  return known.id
}

interface Splitting {
  readonly dataset: Dataset
  readonly id: string
  readonly isMade: boolean
  readonly key?: NaturalKey
  readonly record: JsonObject
  readonly rank: Rank
  readonly emit: EmitPart
}

function emitParts(splitting: Splitting): void {
  const { dataset, id, isMade, key, record, rank, emit } = splitting
  delete record.id
  record[dataset.idField] = id
  if (dataset.name === 'files') linkByEntities(record)
  for (const mount of dataset.mounts) {
    if (!Object.hasOwn(record, mount.at)) continue
    if (mount.kind === 'reverse') splitReverse(splitting, mount)
    else splitLink(splitting, mount)
  }
  const naming = NAMING[dataset.name]
  const isDescribed =
    rank === RANKS.described ||
    naming === undefined ||
    Object.keys(record).some((name) => !naming.has(name))
  emit({ dataset: dataset.name, id, isMade, key, rank, isDescribed, document: record })
}

/** Returns the rank of records embedded in a part of a rank. */
const inside = (rank: Rank): Rank => (rank < RANKS.embedded ? rank : RANKS.embedded)

function splitLink(splitting: Splitting, mount: LinkMount): void {
  const { dataset, id, record, rank, emit } = splitting
  const target = DATASETS[mount.dataset]
  const given = record[mount.at]
  const links = objectsIn(given).map((whole, i) => {
    const own: JsonObject = {}
    for (const name of mount.own) if (Object.hasOwn(whole, name)) own[name] = whole[name]
    const element = without(whole, mount.own)
    if (target.idField !== mount.by && Object.hasOwn(element, mount.by)) {
      element[target.idField] ??= element[mount.by]
      delete element[mount.by]
    }
    if (target.name === 'cases') nameByBarcodes(element, own.samples)
    // An embedded record without an id gets an id generated from its parent.
    const known = idOf(target, element) ?? {
      id: nameUuid(target.name, dataset.name, id, mount.at, String(i)),
      isMade: true,
    }
    emitParts({ dataset: target, ...known, record: element, rank: inside(rank), emit })
    return { [mount.by]: known.id, ...own }
  })
  if (links.length === 0) delete record[mount.at]
  else record[mount.at] = Array.isArray(given) ? links : links[0]
}

/** Returns a copy without some members, if it has any. Deleting members would make the object slow. */
function without(object: JsonObject, names: readonly string[]): JsonObject {
  if (!names.some((name) => Object.hasOwn(object, name))) return object
  const rest: JsonObject = {}
  for (const name of Object.keys(object)) {
    // Setting this member would change the prototype instead of adding a member.
    if (name !== '__proto__' && !names.includes(name)) rest[name] = object[name]
  }
  return rest
}

/**
 * Names an unnamed case by the case barcode of its specimens.
 * @throws RowError if a specimen has the barcode of another case
 */
function nameByBarcodes(record: JsonObject, samples: Json | undefined): void {
  if (samples === undefined) return
  const given = textIn(record.submitter_id)
  // A case that has another name may have specimens of TCGA.
  let name = given === undefined ? undefined : caseInBarcode(given)
  if (name === undefined && given !== undefined) return
  eachSpecimen({ samples }, ({ submitter_id }) => {
    const barcode = textIn(submitter_id) ?? ''
    const own = caseInBarcode(barcode)
    name ??= own
    if (own === undefined || own === name) return
    throw new RowError(`"${barcode}" is no specimen of the case "${name}"; correct the row`)
  })
  if (name !== undefined) record.submitter_id = name
}

function splitReverse(splitting: Splitting, mount: ReverseMount): void {
  const { id, record, rank, emit } = splitting
  const target = DATASETS[mount.dataset]
  const back = target.mounts.find(({ at }) => at === mount.through)
  if (back?.kind !== 'link') throw new Error(`${mount.dataset} has no link ${mount.through}`)
  for (const element of objectsIn(record[mount.at])) {
    for (const [here, there] of Object.entries(mount.names)) {
      if (!Object.hasOwn(element, here)) continue
      element[there] ??= element[here]
      delete element[here]
    }
    const link = { [back.by]: id }
    const isList = target.nested.includes(mount.through)
    element[mount.through] ??= isList ? [link] : link
    const other = textIn(objectsIn(element.case)[0]?.case_id)
    const known = idOf(target, element) ?? {
      id: nameUuid(target.name, id, other ?? ''),
      isMade: true,
    }
    emitParts({ dataset: target, ...known, record: element, rank: inside(rank), emit })
  }
  delete record[mount.at]
}

/** Member names that lead from a case to each type of entity that files are made from. */
export const ENTITY_LEVELS: Readonly<Record<string, readonly string[]>> = {
  case: [],
  sample: ['samples'],
  portion: ['samples', 'portions'],
  slide: ['samples', 'portions', 'slides'],
  analyte: ['samples', 'portions', 'analytes'],
  aliquot: ['samples', 'portions', 'analytes', 'aliquots'],
}

/**
 * Derives the cases of a file from its associated entities, if the file does not list them. A downloaded cart
 * names only an aliquot and its case.
 */
function linkByEntities(record: JsonObject): void {
  if (Object.hasOwn(record, 'cases')) return
  const cases = objectsIn(record.associated_entities).flatMap((entity) => {
    const kind = String(entity.entity_type)
    const levels = Object.hasOwn(ENTITY_LEVELS, kind) ? ENTITY_LEVELS[kind] : undefined
    const caseId = textIn(entity.case_id)
    if (!levels || caseId === undefined) return []
    const leaf: JsonObject = {
      [`${kind}_id`]: entity.entity_id,
      submitter_id: entity.entity_submitter_id,
    }
    if (levels.length === 0) return [{ ...leaf, case_id: caseId }]
    const chain = levels.reduceRight<JsonObject>((below, level) => ({ [level]: [below] }), leaf)
    return [{ case_id: caseId, ...chain }]
  })
  if (cases.length > 0) record.cases = mergeSameCase(cases)
}

function mergeSameCase(cases: readonly JsonObject[]): JsonObject[] {
  const byId = new Map<string, JsonObject>()
  for (const each of cases) {
    const id = String(each.case_id)
    const known = byId.get(id)
    if (!known) byId.set(id, each)
    else known.samples = [...objectsIn(known.samples), ...objectsIn(each.samples)]
  }
  return [...byId.values()]
}
