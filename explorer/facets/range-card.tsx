import { useEffect, useState } from 'preact/hooks'
import type { Bucket } from '../cohort/count.ts'
import type { Condition } from '../cohort/filter.ts'
import { DAYS_PER_YEAR, inYears, shownNumber } from '../cohort/words.ts'
import type { Facet } from './facets.ts'

type Range = Extract<Condition, { readonly from: number | undefined }>

/** Below a histogram. */
const MAX_NAMES = 7

interface RangeCardProps {
  readonly field: string
  readonly facet: Facet
  readonly buckets: readonly Bucket[]
  readonly range: Range | undefined
  readonly change: (range: Range | undefined) => void
}

/** Bars by interval, and a range to type or to take from a bar. */
export function RangeCard({ field, facet, buckets, range, change }: RangeCardProps) {
  const bars = buckets.filter(({ key }) => key !== '_missing')
  const missing = buckets.find(({ key }) => key === '_missing')?.doc_count ?? 0
  const most = Math.max(1, ...bars.map(({ doc_count }) => doc_count))
  const unit = inYears(field) ? DAYS_PER_YEAR : 1
  const isDate = facet.kind === 'dates'
  // Names of all bars would lie on each other.
  const stride = Math.ceil(bars.length / MAX_NAMES)
  return (
    <>
      <ul class="histogram">
        {bars.map(({ key, doc_count }, index) => {
          const start = Number(key)
          const name = isDate
            ? key
            : `${shownNumber(field, start)} to ${shownNumber(field, start + (facet.interval ?? 1))}`
          return (
            <li key={key}>
              <button
                type="button"
                title={`${name}: ${doc_count.toLocaleString('en')}`}
                aria-label={`${name}: ${doc_count} records`}
                disabled={isDate}
                onClick={() =>
                  change({ field, from: start, to: lastBefore(start + (facet.interval ?? 1)) })
                }
              >
                <meter min={0} max={most} value={doc_count} aria-hidden="true" />
                <span aria-hidden="true">
                  {index % stride === 0 && (isDate ? key : shownNumber(field, start))}
                </span>
                <span class="count" aria-hidden="true">
                  {doc_count.toLocaleString('en')}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
      {!isDate && (
        <p class="range">
          <End
            label="from"
            value={range?.from === undefined ? undefined : range.from / unit}
            change={(value) => change(rangeOf(field, value && value * unit, range?.to))}
          />
          <End
            label="to"
            value={range?.to === undefined ? undefined : range.to / unit}
            change={(value) => change(rangeOf(field, range?.from, value && value * unit))}
          />
          {inYears(field) && <span class="soft">years</span>}
        </p>
      )}
      {missing > 0 && <p class="soft">{missing.toLocaleString('en')} records without it</p>}
    </>
  )
}

/** Days and counts are whole, so the last one before the next interval is one less. */
const lastBefore = (end: number) => (Number.isInteger(end) ? end - 1 : Math.floor(end))

const rangeOf = (field: string, from: number | undefined, to: number | undefined) =>
  from === undefined && to === undefined ? undefined : { field, from, to }

interface EndProps {
  readonly label: string
  readonly value: number | undefined
  readonly change: (value: number | undefined) => void
}

function End({ label, value, change }: EndProps) {
  const shown = value === undefined ? '' : String(Math.round(value * 100) / 100)
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  return (
    <label>
      {label}{' '}
      <input
        type="number"
        step="any"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => {
          const given = event.currentTarget.value
          change(given === '' ? undefined : Number(given))
        }}
      />
    </label>
  )
}
