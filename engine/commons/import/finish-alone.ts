import type { JsonObject } from '../../shared/input/json-value.ts'
import type { DatasetName } from '../datasets/define.ts'
import { addedToFile } from './finish-file.ts'
import { addedToMutation, hasOneObservation } from './finish-mutation.ts'

/**
 * Returns the members that finishing adds to the end of a document that is the only part of its record, where
 * all cases have their real ids and there is no gene model. Such a document is copied without being parsed.
 * Returns undefined if finishing may change the document otherwise.
 * @param release number of the release being made, or undefined if it is not known
 */
export function addedAlone(
  dataset: DatasetName,
  document: JsonObject,
  release: string | undefined,
): JsonObject | undefined {
  if (dataset === 'files') {
    return release === undefined ? undefined : addedToFile(document, release)
  }
  if (dataset === 'ssms') return addedToMutation(document)
  if (dataset.endsWith('_occurrences')) return hasOneObservation(document) ? {} : undefined
  return undefined
}
