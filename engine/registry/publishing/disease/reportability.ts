import type { Disease } from './definition.ts'
import type { SiteRange, YearRange } from './ranges.ts'

/** Sites where benign and borderline tumors are also reportable: brain, spinal cord and adjacent glands. */
const BRAIN: readonly SiteRange[] = [
  { low: 'C700', high: 'C729' },
  { low: 'C751', high: 'C753' },
]
/** Years in which benign and borderline tumors of the brain and nearby sites are reportable. */
const BENIGN_BRAIN: YearRange = { start: 2004 }

/**
 * Computes the years in which a disease is reportable, and replaces years in the body. A disease is reportable
 * while an edition of ICD-O gives it an in situ or malignant behavior (2, 3). From 2004 on, a solid tumor of the
 * brain, the spinal cord or the adjacent glands is reportable with any behavior. `valid` limits the third
 * edition. Non-neoplastic diseases are never reportable and get no `reportable`.
 */
export function withReportable(disease: Partial<Disease>): Partial<Disease> {
  const { reportable: _given, ...rest } = disease
  const ranges = disease.type === 'NON_NEOPLASTIC' ? [] : joined(reportableRanges(disease))
  return ranges.length === 0 ? rest : { ...rest, reportable: ranges }
}

function reportableRanges(disease: Partial<Disease>): YearRange[] {
  return editions(disease).flatMap(({ codes, years }) => {
    const behaviours = codes.map((code) => code.at(-1))
    if (behaviours.some((one) => one === '2' || one === '3')) return [years]
    if (!behaviours.some((one) => one === '0' || one === '1') || !isOfBrain(disease)) return []
    return common(years, BENIGN_BRAIN)
  })
}

/** Returns the codes of the disease in each edition of ICD-O, and the years of that edition. */
function editions(disease: Partial<Disease>): { codes: readonly string[]; years: YearRange }[] {
  const { icdO3_morphology: third, icdO3_effective: thirdYears = {}, valid = {} } = disease
  const earlier = [
    { codes: disease.icdO2_morphology ?? [], years: disease.icdO2_effective },
    { codes: disease.icdO1_morphology ?? [], years: disease.icdO1_effective },
  ].flatMap(({ codes, years }) => (years ? [{ codes, years }] : []))
  if (third === undefined) return earlier
  const current = common(thirdYears, valid).map((years) => ({ codes: [third], years }))
  return [...current, ...earlier]
}

function isOfBrain({ type, primary_site: sites = [] }: Partial<Disease>): boolean {
  if (type !== 'SOLID_TUMOR') return false
  return sites.some(({ low, high }) => BRAIN.some((one) => low <= one.high && one.low <= high))
}

/** Intersects two ranges. Returns no range or one. */
function common(one: YearRange, other: YearRange): YearRange[] {
  const start = Math.max(first(one), first(other))
  const end = Math.min(last(one), last(other))
  return start <= end ? [rangeOf(start, end)] : []
}

/** Merges overlapping and adjacent ranges, in ascending order. */
function joined(ranges: readonly YearRange[]): YearRange[] {
  const done: YearRange[] = []
  for (const next of ranges.toSorted((a, b) => first(a) - first(b))) {
    const before = done.at(-1)
    if (!before || first(next) > last(before) + 1) done.push(next)
    else done[done.length - 1] = rangeOf(first(before), Math.max(last(before), last(next)))
  }
  return done
}

const first = ({ start = Number.NEGATIVE_INFINITY }: YearRange) => start
const last = ({ end = Number.POSITIVE_INFINITY }: YearRange) => end

function rangeOf(start: number, end: number): YearRange {
  return { ...(Number.isFinite(start) && { start }), ...(Number.isFinite(end) && { end }) }
}
