import { useEffect, useState } from 'preact/hooks'
import type { Bucket } from '../cohort/count.ts'
import { DAYS_PER_YEAR, inYears, shownNumber } from '../cohort/words.ts'
import { intervalRange, type Range } from '../filter/filter.ts'
import { counted } from '../parts/counted.ts'
import type { Facet } from './facets.ts'
import { MissingNote } from './missing-note.tsx'

/** Maximum number of labels below a histogram. */
const MAX_NAMES = 7

interface RangeCardProps {
  readonly dataset: string
  readonly field: string
  readonly facet: Facet
  readonly buckets: readonly Bucket[]
  readonly range: Range | undefined
  /** Changes the range. `edit` receives the latest range, which may be newer than the one on the page. */
  readonly change: (edit: (now: Range | undefined) => Range | undefined) => void
}

/** Shows a histogram, and a range that can be typed or taken from a bar. */
export function RangeCard({ dataset, field, facet, buckets, range, change }: RangeCardProps) {
  const bars = buckets.filter(({ key }) => key !== '_missing')
  const missing = buckets.find(({ key }) => key === '_missing')?.doc_count ?? 0
  const most = Math.max(1, ...bars.map(({ doc_count }) => doc_count))
  const unit = inYears(field) ? DAYS_PER_YEAR : 1
  const isYears = facet.kind === 'dates'
  const accepts = isYears ? YEARS : NUMBERS
  const interval = facet.interval ?? 1
  // Labels of all bars would overlap.
  const stride = Math.ceil(bars.length / MAX_NAMES)
  return (
    <>
      <ul class="histogram">
        {bars.map(({ key, doc_count }, index) => {
          const start = Number(key)
          const name = isYears
            ? key
            : `${shownNumber(field, start)} to ${shownNumber(field, start + interval)}`
          return (
            <li key={key}>
              <button
                type="button"
                title={`${name}: ${doc_count.toLocaleString('en')}`}
                aria-label={`${name}: ${counted(doc_count, 'record')}`}
                onClick={() => change(() => intervalRange(start, interval))}
              >
                <meter min={0} max={most} value={doc_count} aria-hidden="true" />
                <span aria-hidden="true">{index % stride === 0 && shownNumber(field, start)}</span>
                <span class="count" aria-hidden="true">
                  {doc_count.toLocaleString('en')}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
      <p class="range">
        <End
          label="from"
          accepts={accepts}
          value={range?.from === undefined ? undefined : range.from / unit}
          change={(value) => change((now) => rangeOf(value && value * unit, now?.to))}
        />
        <End
          label="to"
          accepts={accepts}
          value={range?.to === undefined ? undefined : range.to / unit}
          change={(value) => change((now) => rangeOf(now?.from, value && value * unit))}
        />
        {inYears(field) && <span class="soft">years</span>}
      </p>
      {missing > 0 && <MissingNote dataset={dataset} field={field} missing={missing} />}
    </>
  )
}

const rangeOf = (from: number | undefined, to: number | undefined) =>
  from === undefined && to === undefined ? undefined : { from, to }

/** Accepted values: calendar years for dates, otherwise any number. */
const YEARS = { step: 1, min: 1000, max: 9998 } as const
const NUMBERS = { step: 'any' } as const

interface EndProps {
  readonly label: string
  readonly accepts: typeof YEARS | typeof NUMBERS
  readonly value: number | undefined
  readonly change: (value: number | undefined) => void
}

function End({ label, accepts, value, change }: EndProps) {
  const shown = value === undefined ? '' : String(Math.round(value * 100) / 100)
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  return (
    <label>
      {label}{' '}
      <input
        type="number"
        {...accepts}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => {
          const given = event.currentTarget.value
          if (!event.currentTarget.reportValidity()) return
          change(given === '' ? undefined : Number(given))
        }}
      />
    </label>
  )
}
