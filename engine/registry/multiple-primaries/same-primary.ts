/** A source of the years in which two morphologies are the same disease. */
export interface SamePrimarySource<M> {
  /** Returns whether the entry of `morphology` lists `other` for this year. */
  matches(morphology: M, other: M, year: number): boolean
}

/** A morphology with its year of diagnosis. */
interface DatedMorphology<M> {
  readonly morphology: M
  readonly year: number
}

const MORPHOLOGY = /^\d{4}\/\d$/

/**
 * Returns whether two morphologies (`9870/3`) diagnosed in these years are the same primary
 * (multiple-primaries.md 5, 2010 and later). A malformed morphology never matches.
 */
export function samePrimary(
  source: SamePrimarySource<string>,
  one: DatedMorphology<string>,
  other: DatedMorphology<string>,
): boolean {
  const areMorphologies = MORPHOLOGY.test(one.morphology) && MORPHOLOGY.test(other.morphology)
  return areMorphologies && isSameDisease(source, one, other)
}

/**
 * Returns whether two morphologies are the same disease. The entry for the morphology of the later diagnosis
 * decides. For diagnoses of the same year, both entries must list the other.
 */
export function isSameDisease<M>(
  source: SamePrimarySource<M>,
  one: DatedMorphology<M>,
  other: DatedMorphology<M>,
): boolean {
  if (one.morphology === other.morphology) return true
  const isListedByOne = () => source.matches(one.morphology, other.morphology, one.year)
  const isListedByOther = () => source.matches(other.morphology, one.morphology, other.year)
  if (one.year > other.year) return isListedByOne()
  if (one.year < other.year) return isListedByOther()
  return isListedByOne() && isListedByOther()
}
