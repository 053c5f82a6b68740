import type { JsonObject } from '../../shared/input/json-value.ts'
import type { DatasetName } from '../datasets/define.ts'
import { addedToFile } from './finish-file.ts'
import { addedToMutation, hasOneObservation } from './finish-mutation.ts'

/**
 * Returns the members that the last step of an import (finish-file.ts, finish-mutation.ts) adds to the end of a
 * document, so that the document can be copied without being parsed. Returns undefined if this step may change
 * the document otherwise. The result is used only if the record has no other part, no case id is replaced by a
 * real one, there is no gene model, and a file has neither cases nor earlier versions; assemble.ts checks this.
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
