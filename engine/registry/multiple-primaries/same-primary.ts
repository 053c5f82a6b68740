/** The years in which two morphologies count as one disease, as a list or a version tells them. */
export interface SamePrimarySource<M> {
  /** Whether the entry of `morphology` lists `other` for that year. */
  matches(morphology: M, other: M, year: number): boolean
}

const MORPHOLOGY = /^\d{4}\/\d$/

/**
 * Whether two morphologies (`9870/3`), diagnosed in these years, are the same primary
 * (multiple-primaries.md 5, 2010 and later). A text of another form is the same as none.
 */
export function samePrimary(
  source: SamePrimarySource<string>,
  morphology1: string,
  morphology2: string,
  year1: number,
  year2: number,
): boolean {
  const areMorphologies = MORPHOLOGY.test(morphology1) && MORPHOLOGY.test(morphology2)
  return areMorphologies && isSameDisease(source, morphology1, morphology2, year1, year2)
}

/** The later diagnosis decides by its own entry; in one year both entries must agree. */
export function isSameDisease<M>(
  source: SamePrimarySource<M>,
  one: M,
  other: M,
  yearOfOne: number,
  yearOfOther: number,
): boolean {
  if (one === other) return true
  const isListedByOne = () => source.matches(one, other, yearOfOne)
  const isListedByOther = () => source.matches(other, one, yearOfOther)
  if (yearOfOne > yearOfOther) return isListedByOne()
  if (yearOfOne < yearOfOther) return isListedByOther()
  return isListedByOne() && isListedByOther()
}
