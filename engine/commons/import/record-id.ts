import { nameUuid } from '../../shared/catalogue/uuid.ts'
import { type JsonObject, textIn } from '../../shared/input/json-value.ts'
import type { Dataset, DatasetName } from '../datasets/define.ts'

/** What distinguishes a record from others when it has no id of its own. */
export interface NaturalKey {
  readonly name: string
  /** File size in bytes; a name alone fits any size. */
  readonly size: number | undefined
}

export interface RecordId {
  readonly id: string
  /** The id was made here of what the record says (data-commons.md 11.6), for want of a given one. */
  readonly isMade: boolean
  readonly key?: NaturalKey
}

/** The id under which a record is stored; keyword ids are compared, and so kept, in lower case. */
function storedId(dataset: Dataset, id: string): string {
  return dataset.fields[dataset.idField] === 'keyword' ? id.toLowerCase() : id
}

/**
 * A record's id: the given one, or one made of its natural key, or of a position in the genome.
 * `undefined` when the record says nothing that could identify it.
 */
export function idOf(dataset: Dataset, record: JsonObject): RecordId | undefined {
  const given = textIn(record[dataset.idField]) ?? textIn(record.id)
  const key = naturalKey(dataset.name, record)
  if (given !== undefined) {
    return { id: storedId(dataset, given), isMade: false, ...(key ? { key } : {}) }
  }
  if (key) return { id: madeId(dataset.name, key), isMade: true, key }
  const place = placeOf(dataset.name, record)
  return place && { id: nameUuid(dataset.name, ...place), isMade: true }
}

/** The id of a record that is known by its natural key alone, the same at every import. */
export function madeId(dataset: DatasetName, { name, size }: NaturalKey): string {
  return nameUuid(dataset, name, size === undefined ? '' : String(size))
}

function naturalKey(dataset: DatasetName, record: JsonObject): NaturalKey | undefined {
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

/** Members whose values together are one variant. */
const PLACES: Readonly<Partial<Record<DatasetName, readonly string[]>>> = {
  ssms: [
    ...['chromosome', 'start_position', 'end_position', 'reference_allele', 'tumor_allele'],
    'agency_build',
  ],
  cnvs: ['chromosome', 'start_position', 'end_position', 'cnv_change', 'cnv_change_5_category'],
  segment_cnvs: ['chromosome', 'start_position', 'end_position', 'cnv_change'],
}

function placeOf(dataset: DatasetName, record: JsonObject): readonly string[] | undefined {
  const values = PLACES[dataset]?.map((name) => textIn(record[name]) ?? '')
  // Chromosome and start are what any variant has.
  return values?.[0] && values[1] ? values : undefined
}
