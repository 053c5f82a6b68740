import { type Json, type JsonObject, objectsIn, textIn } from '../../../shared/input/json-value.ts'
import { parentsInBarcode } from './barcode.ts'
import { type Level, SAMPLES } from './levels.ts'

/** A specimen as one source describes it. */
export interface Specimen {
  readonly level: Level
  /** In lower case. */
  readonly id: string | undefined
  /** The submitter's name, or the one that the barcodes below it contain. */
  name: string | undefined
  /** What is said of it, without what was taken from it. */
  readonly members: JsonObject
  readonly above: Specimen | undefined
}

/** A parent; of one that nothing is said of each child gets its own. */
type Parent = () => Specimen | undefined

/**
 * Takes a list of samples apart into specimens, parents before children. An element of which nothing
 * is said stands for "something unknown": its children need not be of the same thing, so it is there
 * once for each of them, and not at all without any.
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

/** Names what has no name by the barcodes below it, where these agree. */
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
