import { type Json, type JsonObject, objectsIn, textIn } from '../../../shared/input/json-value.ts'
import { parentsInBarcode } from './barcode.ts'
import { type Level, SAMPLES } from './levels.ts'

/** The description of a specimen in one source. */
export interface Specimen {
  readonly level: Level
  /** Id in lower case. */
  readonly id: string | undefined
  /** Name given by the submitter. Otherwise the name contained in the barcodes below the specimen. */
  name: string | undefined
  /** Properties of the specimen, without its children. */
  readonly members: JsonObject
  readonly above: Specimen | undefined
}

/** Returns the parent. A parent without any properties is created anew for each child. */
type Parent = () => Specimen | undefined

/**
 * Flattens a list of samples into specimens, parents before children. An element without properties only says
 * that the parent is unknown, and its children may have different parents. It is therefore repeated for each
 * child, and dropped if it has no child.
 */
export function observeSamples(samples: Json | undefined): readonly Specimen[] {
  const found: Specimen[] = []
  for (const sample of objectsIn(samples)) observe(sample, SAMPLES, () => undefined, found)
  nameByBarcodes(found)
  return found
}

function observe(element: JsonObject, level: Level, parent: Parent, found: Specimen[]): void {
  const members: JsonObject = {}
  for (const [name, value] of Object.entries(element)) {
    if (!level.inner.some((inner) => inner.name === name)) members[name] = value
  }
  const make = () => {
    const id = textIn(members[level.idField])?.toLowerCase()
    if (id !== undefined) members[level.idField] = id
    const name = textIn(members.submitter_id)
    const specimen: Specimen = { level, id, name, members, above: parent() }
    found.push(specimen)
    return specimen
  }
  const saysNothing = Object.values(members).every((value) => value === null)
  const made = saysNothing ? undefined : make()
  for (const inner of level.inner) {
    for (const child of objectsIn(element[inner.name])) {
      observe(child, inner, made ? () => made : make, found)
    }
  }
}

/** Names specimens that have no name by the barcodes below them, if these barcodes agree. */
function nameByBarcodes(specimens: readonly Specimen[]): void {
  const contained = new Map<Specimen, Set<string>>()
  for (const { name, above } of specimens) {
    const parents = name === undefined ? {} : parentsInBarcode(name)
    for (let at = above; at; at = at.above) {
      const parent = parents[at.level.name]
      if (parent === undefined || at.name !== undefined) continue
      contained.set(at, (contained.get(at) ?? new Set()).add(parent))
    }
  }
  for (const [specimen, names] of contained) {
    const [name, ...others] = names
    if (others.length === 0) specimen.name = name
  }
}
