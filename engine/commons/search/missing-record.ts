import { EngineError } from '../../shared/errors.ts'
import { quotedName } from '../../shared/input/near-name.ts'
import { DATASET_NAMES, type Dataset, type DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { arraysOf } from '../release/arrays.ts'
import { columnKey } from '../release/layout.ts'
import type { Release } from '../release/release.ts'
import { idOfName } from './id-warnings.ts'

/** Returns the ids of the latest versions of replaced files, by former id. */
export type LatestOf = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** Maximum length of a text that is looked up as an id. */
const MAX_CHARACTERS = 100
/** Datasets searched for an id that another lacks. Variants are left out: they have too many ids. */
const CONFUSED: ReadonlySet<DatasetName> = new Set([
  ...(['projects', 'cases', 'files', 'annotations', 'genes'] as const),
])

/** A record that was not found. */
export interface MissingRecord {
  readonly dataset: Dataset
  readonly id: string
}

/**
 * Creates the error for an unknown id. It suggests the id of the record with that name, the dataset that has
 * the id, or the latest version of a file.
 * @throws EngineError corrupt_source if the release is damaged
 */
export async function missingRecord(
  { dataset, id }: MissingRecord,
  release: Release,
  {
    signal,
    latestOf,
  }: { readonly signal?: AbortSignal | undefined; readonly latestOf?: LatestOf | undefined },
): Promise<EngineError> {
  const base = `there is no ${dataset.noun} with the ${dataset.idField} "${id.slice(0, 80)}"`
  const text = id.trim()
  if (text === '' || text.length > MAX_CHARACTERS) return new EngineError('not_found', base)
  const hint =
    (await byName(dataset, text, release, signal)) ??
    (await elsewhere(dataset, text, release)) ??
    (await superseded(dataset, text, latestOf)) ??
    ''
  return new EngineError('not_found', base + hint)
}

/** Suggests a record whose symbol, barcode or name equals the text. */
async function byName(
  described: Dataset,
  text: string,
  release: Release,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { name: dataset, noun, idField, autocomplete } = described
  const names = autocomplete.filter((name) => name !== idField)
  const keys = [idField, ...names].map((path) => columnKey(dataset, path))
  const arrays = arraysOf(await release.load(keys, { signal }))
  for (const name of names) {
    const id = idOfName(described, name, text, arrays)
    if (id === undefined) continue
    return `; the ${noun} of this ${name} has the ${idField} ${quotedName(id)}`
  }
  return undefined
}

async function elsewhere(
  { name: dataset }: Dataset,
  text: string,
  release: Release,
): Promise<string | undefined> {
  for (const name of DATASET_NAMES) {
    if (name === dataset || !CONFUSED.has(name)) continue
    if ((await release.find(name, text)) === undefined) continue
    const { idField, noun } = datasetOf(name)
    return `; it is the ${idField} of a ${noun}, which is found at /${name}`
  }
  return undefined
}

async function superseded(
  { name }: Dataset,
  text: string,
  latestOf: LatestOf | undefined,
): Promise<string | undefined> {
  if (name !== 'files' || !latestOf) return undefined
  const latest = (await latestOf([text])).get(text.toLowerCase())
  if (latest === undefined) return undefined
  return `; it was superseded, and the latest version has the file_id ${quotedName(latest)}`
}
