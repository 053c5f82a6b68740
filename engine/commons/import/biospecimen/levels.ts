import { type JsonObject, objectsIn } from '../../../shared/input/json-value.ts'

export type LevelName = 'samples' | 'portions' | 'analytes' | 'aliquots' | 'slides'

/** A kind of specimen: the name of its list in the parent, and the lists inside it. */
export interface Level {
  readonly name: LevelName
  /** Singular name, such as `sample`. */
  readonly noun: string
  readonly idField: string
  readonly inner: readonly Level[]
}

const level = (noun: string, inner: readonly Level[]): Level => ({
  name: `${noun}s` as LevelName,
  noun,
  idField: `${noun}_id`,
  inner,
})

const ALIQUOTS = level('aliquot', [])
const ANALYTES = level('analyte', [ALIQUOTS])
const SLIDES = level('slide', [])
const PORTIONS = level('portion', [ANALYTES, SLIDES])
export const SAMPLES = level('sample', [PORTIONS])

/** All levels, from parents to children. */
export const LEVELS: readonly Level[] = [SAMPLES, PORTIONS, ANALYTES, SLIDES, ALIQUOTS]

/** Visits each specimen below a record, parents first. */
export function eachSpecimen(
  record: JsonObject,
  visit: (specimen: JsonObject, level: Level) => void,
  level: Level = SAMPLES,
): void {
  for (const specimen of objectsIn(record[level.name])) {
    visit(specimen, level)
    for (const inner of level.inner) eachSpecimen(specimen, visit, inner)
  }
}
