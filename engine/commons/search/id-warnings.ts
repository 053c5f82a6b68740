import { didYouMean, NearNames, quotedName } from '../../shared/input/near-name.ts'
import type { Warnings } from '../../shared/input/warnings.ts'
import type { Dataset } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { typeOf } from '../datasets/resolve.ts'
import { arraysOf } from '../release/arrays.ts'
import { foldText } from '../release/fold.ts'
import { columnKey } from '../release/layout.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { nearestValue, type ValueSource } from './value-warnings.ts'

/** Maximum number of ids to look up per request. The warning itself names at most MAX_NAMED of them. */
export const MAX_LOOKED_UP = 100
const MAX_NAMED = 5

/** A kind of records that requests refer to by id, and the field that is often used instead. */
interface NamedRecords {
  readonly dataset: 'cases' | 'genes'
  readonly noun: string
  readonly id: 'case_id' | 'gene_id'
  readonly name: 'submitter_id' | 'symbol'
  /** Name of the request parameter. */
  readonly parameter: 'case_ids' | 'gene_ids'
}

export const NAMED_GENES: NamedRecords = {
  dataset: 'genes',
  noun: 'gene',
  id: 'gene_id',
  name: 'symbol',
  parameter: 'gene_ids',
}

export const NAMED_CASES: NamedRecords = {
  dataset: 'cases',
  noun: 'case',
  id: 'case_id',
  name: 'submitter_id',
  parameter: 'case_ids',
}

/**
 * Warns about ids that do not exist. Suggests the id of the record that has the text as its name, or the most
 * similar id (data-commons.md 11.36). Only the first MAX_LOOKED_UP ids are checked.
 * @throws EngineError corrupt_source if the release is damaged
 */
export async function warnOfIds(
  named: NamedRecords,
  given: readonly string[],
  source: ValueSource,
  { signal, warnings }: { readonly signal?: AbortSignal; readonly warnings: Warnings },
): Promise<void> {
  if (given.length === 0) return
  const { dataset, noun, id, name, parameter } = named
  const keys = [id, name].map((path) => columnKey(dataset, path))
  const arrays = arraysOf(await source.load(keys, { signal }))
  const ids = arrays.column(dataset, id)?.dictionary
  const isKnown = (one: string) => ids && (ids.find(one) > 0 || ids.find(one.toLowerCase()) > 0)
  const unknown = given.slice(0, MAX_LOOKED_UP).filter((one) => !isKnown(one))
  const near = new NearNames()
  for (const one of unknown.slice(0, MAX_NAMED)) {
    const meant =
      idOfName(datasetOf(dataset), name, one, arrays) ?? (ids && nearestValue(one, ids, near))
    warnings.add(parameter, `no ${noun} has the id ${quotedName(one)}${didYouMean([[one, meant]])}`)
  }
  const more = unknown.length - MAX_NAMED
  if (more > 0) warnings.add(parameter, `${more} more such ids`)
}

/**
 * Returns the id of the first record whose name field, a field of the record itself, equals a text.
 * @param arrays must include the columns of both fields
 */
export function idOfName(
  dataset: Dataset,
  name: string,
  text: string,
  arrays: ReleaseArrays,
): string | undefined {
  const names = arrays.column(dataset.name, name)
  const type = typeOf(dataset, name)
  if (!names?.codes || names.offsets || !type) return undefined
  const code = names.dictionary.find(foldText(type, text))
  const row = code > 0 ? names.codes.indexOf(code) : -1
  return row < 0
    ? undefined
    : arrays.column(dataset.name, dataset.idField)?.dictionary.text(row + 1)
}
