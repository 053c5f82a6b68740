import type { JsonObject } from '../../shared/input/json-value.ts'
import type { DatasetName } from '../datasets/define.ts'
import { addedToMutation, hasOneObservation } from './finish-mutation.ts'

/**
 * Returns the members that finishing adds to the end of a document that is the only part of its record, where
 * all cases have their real ids and there is no gene model. Such a document is copied without being parsed.
 * Returns undefined if finishing may change the document otherwise.
 */
export function addedAlone(dataset: DatasetName, document: JsonObject): JsonObject | undefined {
  if (dataset === 'ssms') return addedToMutation(document)
  if (dataset.endsWith('_occurrences')) return hasOneObservation(document) ? {} : undefined
  return undefined
}
