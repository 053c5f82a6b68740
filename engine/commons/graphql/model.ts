import { DATASETS } from '../datasets/index.ts'
import { type CountedField, countedFields } from './counted-fields.ts'
import { PLACES, type Place } from './places.ts'
import { type NodeShape, shapeOf } from './shapes.ts'

/** A place with all that can be asked there. */
export interface SearchPlace extends Place {
  readonly shape: NodeShape
  readonly counted: ReadonlyMap<string, CountedField>
}

/** The places that the search by GraphQL has. They are the same for every release. */
export interface SearchModel {
  readonly places: readonly SearchPlace[]
}

/** Makes the model in steps, each of some ten milliseconds. */
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
