import { nameUuid } from '../../shared/catalogue/uuid.ts'
import { type JsonObject, textIn } from '../../shared/input/json-value.ts'
import type { Dataset, DatasetName } from '../datasets/define.ts'

/**
 * Key that is unique among the records of a dataset: file name and size of a file, submitter id of a case. It
 * identifies a record without an id.
 */
export interface NaturalKey {
  readonly name: string
  /**
   * File size in bytes. Undefined for cases and if the source does not give it. Such a key equals a key with the
   * same name and any size (see identities.ts).
   */
  readonly size: number | undefined
}

export interface RecordId {
  readonly id: string
  /**
   * Whether the id was generated from the content of the record (data-commons.md 11.6), because no source has
   * one.
   */
  readonly isMade: boolean
  /**
   * Natural key, also of a record with an id of its own: a record without an id and with the same key in another
   * source is then the same record.
   */
  readonly key?: NaturalKey
}

/**
 * Returns the id under which a record is stored. Ids of type keyword are compared, and therefore stored, in
 * lower case.
 */
function storedId(dataset: Dataset, id: string): string {
  return dataset.fields[dataset.idField] === 'keyword' ? id.toLowerCase() : id
}

/**
 * Returns the id of a record: its own id, or one that is generated from its natural key or genomic position.
 * Undefined if the record has none of these.
 */
export function idOf(dataset: Dataset, record: JsonObject): RecordId | undefined {
  const given = textIn(record[dataset.idField]) ?? textIn(record.id)
  const key = naturalKey(dataset.name, record)
  if (given !== undefined) {
    return { id: storedId(dataset, given), isMade: false, ...(key ? { key } : {}) }
  }
  if (key) return { id: madeId(dataset.name, key), isMade: true, key }
  const id = placeId(dataset.name, record)
  return id === undefined ? undefined : { id, isMade: true }
}

/** Returns the id that is generated from a variant's genomic position, even if the record has another id. */
export function placeId(dataset: DatasetName, record: JsonObject): string | undefined {
  const place = placeOf(dataset, record)
  return place && nameUuid(dataset, ...place)
}

/** Returns the generated id of a record that has only a natural key. It is the same in every import. */
export function madeId(dataset: DatasetName, { name, size }: NaturalKey): string {
  return nameUuid(dataset, name, size === undefined ? '' : String(size))
}

/** Returns the natural key of a record of files or cases, if it has a name. */
export function naturalKey(dataset: DatasetName, record: JsonObject): NaturalKey | undefined {
  if (dataset === 'files') {
    const name = textIn(record.file_name)
    const size = Number(textIn(record.file_size) ?? Number.NaN)
    return name === undefined
      ? undefined
      : { name, size: Number.isSafeInteger(size) ? size : undefined }
  }
  if (dataset === 'cases') {
    const name = textIn(record.submitter_id)
    return name === undefined ? undefined : { name, size: undefined }
  }
  return undefined
}

/**
 * Members that together identify a variant. Never change a list: the generated ids of stored records depend on
 * it.
 */
const PLACES: Readonly<Partial<Record<DatasetName, readonly string[]>>> = {
  ssms: [
    'chromosome',
    'start_position',
    'end_position',
    'reference_allele',
    'tumor_allele',
    'agency_build',
  ],
  cnvs: ['chromosome', 'start_position', 'end_position', 'cnv_change', 'cnv_change_5_category'],
  segment_cnvs: ['chromosome', 'start_position', 'end_position', 'cnv_change'],
}

function placeOf(dataset: DatasetName, record: JsonObject): readonly string[] | undefined {
  const values = PLACES[dataset]?.map((name) => textIn(record[name]) ?? '')
  // A variant must have at least a chromosome and a start.
  return values?.[0] && values[1] ? values : undefined
}
