import { DATASETS } from '../datasets/index.ts'
import { type CountedField, countedFields } from './counted-fields.ts'
import { PLACES, type Place } from './places.ts'
import { type NodeShape, shapeOf } from './shapes.ts'

/** A place in the schema, with the fields that it has. */
export interface SearchPlace extends Place {
  readonly shape: NodeShape
  readonly counted: ReadonlyMap<string, CountedField>
}

/** Places of the search schema, which do not depend on the release. */
export interface SearchModel {
  readonly places: readonly SearchPlace[]
}

/** Builds the model. Each step takes some ten milliseconds. */
export function* searchModel(): Generator<void, SearchModel> {
  const places: SearchPlace[] = []
  for (const place of PLACES) {
    const counted = countedFields(place)
    yield
    places.push({ ...place, counted, shape: shapeOf(DATASETS[place.dataset], place.isJoined) })
    yield
  }
  return { places }
}
