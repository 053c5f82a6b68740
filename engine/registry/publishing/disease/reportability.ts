import type { Disease } from './definition.ts'
import type { SiteRange, YearRange } from './ranges.ts'

/** Where tumours that are not malignant are reported, too. */
const BRAIN: readonly SiteRange[] = [
  { low: 'C700', high: 'C729' },
  { low: 'C751', high: 'C753' },
]
const BENIGN_BRAIN: YearRange = { start: 2004 }

/**
 * A disease with the years in which it is reportable, whatever was said of them: those in which an
 * edition of ICD-O gave it a malignant or in situ behaviour (2, 3), and from 2004 on any behaviour
 * of a solid tumour of brain, spinal cord or the glands beside them. `valid` bounds the third
 * edition. What is not neoplastic is never reportable; then there is no `reportable`.
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

/** What each edition of ICD-O calls it, and when. */
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

/** The years of both; none or one range. */
function common(one: YearRange, other: YearRange): YearRange[] {
  const start = Math.max(first(one), first(other))
  const end = Math.min(last(one), last(other))
  return start <= end ? [rangeOf(start, end)] : []
}

/** Ranges that overlap or follow each other as one, ascending. */
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
