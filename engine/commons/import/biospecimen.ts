import { isObject, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'

/** Kinds of entities below a case, with the list that holds each and the lists inside it. */
interface Kind {
  readonly list: string
  readonly id: string
  readonly inner: readonly Kind[]
}

const ALIQUOTS: Kind = { list: 'aliquots', id: 'aliquot_id', inner: [] }
const ANALYTES: Kind = { list: 'analytes', id: 'analyte_id', inner: [ALIQUOTS] }
const SLIDES: Kind = { list: 'slides', id: 'slide_id', inner: [] }
const PORTIONS: Kind = { list: 'portions', id: 'portion_id', inner: [ANALYTES, SLIDES] }
const SAMPLES: Kind = { list: 'samples', id: 'sample_id', inner: [PORTIONS] }

interface Place {
  readonly entity: JsonObject
  /** How many of the entities above are named. */
  readonly named: number
}

/**
 * Puts entities that some source names without telling what they were taken from where another
 * source shows them: a manifest lists aliquots only, an API export their samples too. What was pooled
 * stays in each of the places that are told as well. Wrappers that are empty then go.
 */
export function settleBiospecimen(record: JsonObject): void {
  if (!hasWrapper(record, SAMPLES)) return
  const places = new Map<string, Place>()
  const namedAbove = new Map<JsonObject, number>()
  eachEntity(record, SAMPLES, 0, (entity, kind, named) => {
    const id = textIn(entity[kind.id])
    if (id === undefined) return
    namedAbove.set(entity, named)
    const known = places.get(`${kind.id} ${id}`)
    if (!known || known.named < named) places.set(`${kind.id} ${id}`, { entity, named })
  })
  prune(record, SAMPLES, (entity, kind) => {
    const id = textIn(entity[kind.id])
    const best = id === undefined ? undefined : places.get(`${kind.id} ${id}`)
    if (!best || namedAbove.get(entity) === best.named) return true
    for (const [name, value] of Object.entries(entity)) best.entity[name] ??= value
    return false
  })
}

const isNamed = (entity: JsonObject, { id }: Kind) =>
  textIn(entity[id]) !== undefined || textIn(entity.submitter_id) !== undefined

function hasWrapper(parent: JsonObject, kind: Kind): boolean {
  return objectsIn(parent[kind.list]).some(
    (entity) => !isNamed(entity, kind) || kind.inner.some((inner) => hasWrapper(entity, inner)),
  )
}

/** @param named how many of the entities above are named */
function eachEntity(
  parent: JsonObject,
  kind: Kind,
  named: number,
  visit: (entity: JsonObject, kind: Kind, named: number) => void,
): void {
  for (const entity of objectsIn(parent[kind.list])) {
    visit(entity, kind, named)
    const below = named + (isNamed(entity, kind) ? 1 : 0)
    for (const inner of kind.inner) eachEntity(entity, inner, below, visit)
  }
}

/** Leaves out the entities that are not kept, then wrappers with nothing in them. */
function prune(
  parent: JsonObject,
  kind: Kind,
  isKept: (entity: JsonObject, kind: Kind) => boolean,
): void {
  const list = parent[kind.list]
  if (!Array.isArray(list)) return
  const kept = list.filter(isObject).filter((entity) => {
    if (!isKept(entity, kind)) return false
    for (const inner of kind.inner) prune(entity, inner, isKept)
    return isNamed(entity, kind) || Object.keys(entity).length > 0
  })
  if (kept.length > 0) parent[kind.list] = kept
  else delete parent[kind.list]
}

/** Id lists of a case (data-commons-service.md 2.2) and the entities whose ids they hold. */
const LISTS: readonly (readonly [string, Kind])[] = [
  ['sample', SAMPLES],
  ['portion', PORTIONS],
  ['slide', SLIDES],
  ['analyte', ANALYTES],
  ['aliquot', ALIQUOTS],
]

/** Adds the ids of all entities below a case to its id lists; what the lists hold already stays. */
export function listEntities(record: JsonObject): void {
  const found = new Map<string, Set<string>>()
  const note = (list: string, value: string | undefined) => {
    if (value === undefined) return
    const ids = found.get(list) ?? new Set(textsIn(record[list]))
    found.set(list, ids.add(value))
  }
  eachEntity(record, SAMPLES, 0, (entity, kind) => {
    const name = LISTS.find(([, each]) => each === kind)?.[0] ?? ''
    note(`${name}_ids`, textIn(entity[kind.id]))
    note(`submitter_${name}_ids`, textIn(entity.submitter_id))
  })
  for (const diagnosis of objectsIn(record.diagnoses)) {
    note('diagnosis_ids', textIn(diagnosis.diagnosis_id))
    note('submitter_diagnosis_ids', textIn(diagnosis.submitter_id))
  }
  for (const [list, ids] of found) record[list] = [...ids]
}

function textsIn(value: JsonObject[string]): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
