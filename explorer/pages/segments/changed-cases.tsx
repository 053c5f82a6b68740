import { useEffect, useRef } from 'preact/hooks'
import { type Query, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { type Filter, prefixed } from '../../filter/filter.ts'
import { namedChanges } from '../../genes/changed-filters.ts'
import { Asked, setOfIds } from '../../groups/asked.ts'
import type { Group } from '../../groups/group.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { FoldedRequests } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { RECORD_SETS } from '../../records/record-sets.ts'
import { RecordsTable } from '../../records/records-table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useLoaded } from '../../service/use-answer.ts'

/** A place of the genome with more or fewer copies in some cases of a group. Both ends are inclusive. */
interface ChangedPlace {
  readonly group: string
  readonly direction: 'gain' | 'loss'
  readonly chromosome: string
  readonly start: number
  readonly end: number
}

/** Changes that count in each direction, as the service counts them. */
const CHANGES = {
  gain: ['Gain', 'Amplification'],
  loss: ['Loss', 'Deletion', 'Homozygous Deletion'],
} as const

/** Returns the parameters of the URL that open a place. */
export const openedBy = ({ group, direction, chromosome, start, end }: ChangedPlace) => ({
  open: `${direction}:${chromosome}:${start}-${end}`,
  of: group,
})

/** Reads the place to open from the URL. */
function openedPlace(query: Query): ChangedPlace | undefined {
  const [, direction, chromosome = '', start, end] =
    /^(gain|loss):(\w+):(\d+)-(\d+)$/.exec(query.get('open') ?? '') ?? []
  if (direction !== 'gain' && direction !== 'loss') return undefined
  const ends = { start: Number(start), end: Number(end) }
  return { group: query.get('of') ?? '', direction, chromosome, ...ends }
}

/** Shows the cases of a group with a gain or loss at the place that the URL opens. */
export function ChangedCases({ groups }: { readonly groups: readonly Group[] }) {
  const { address } = usePlace()
  const place = openedPlace(address.query)
  const group = groups.find(({ name }) => name === place?.group)
  return place && group ? <CasesAt place={place} group={group} /> : null
}

interface CasesAtProps {
  readonly place: ChangedPlace
  readonly group: Group
}

function CasesAt({ place, group }: CasesAtProps) {
  const { address } = usePlace()
  const section = useRef<HTMLElement>(null)
  const name = `${place.direction} at ${placeText(place)}`
  useEffect(() => {
    section.current?.focus()
    section.current?.scrollIntoView({ block: 'start' })
  }, [name, group.name])
  const request = segmentsRequest(place, group)
  const cases = useLoaded(request, async (service, given, signal) => {
    const asked = new Asked(service, signal)
    const { data } = await asked.ask<SearchAnswer<Hit>>(given)
    const ids = [...new Set(data.hits.map((hit) => hit.case.case_id))]
    return { size: ids.length, filter: await setOfIds(ids, asked) }
  })
  return (
    <section ref={section} class="case" tabIndex={-1} aria-label={`Cases with a ${name}`}>
      <h2>
        {group.name}: cases with a {name}
      </h2>
      <Answered answer={cases}>
        {({ size, filter }) => (
          <>
            <p class="links">
              <Link to={toCohort(address, 'cohort', { name: `${group.name}, ${name}`, filter })}>
                Cohort of {counted(size, 'case')}
              </Link>
            </p>
            <RecordsTable
              of={RECORD_SETS.cases}
              filter={filter}
              prefix="changed."
              empty="No case has such a segment."
            />
          </>
        )}
      </Answered>
      <FoldedRequests title="Request of the segments" requests={[request]} />
    </section>
  )
}

interface Hit {
  readonly case: { readonly case_id: string }
}

const placeText = ({ chromosome, start, end }: ChangedPlace) =>
  `chromosome ${chromosome}, ${start.toLocaleString('en')} to ${end.toLocaleString('en')}`

/** Maximum number of segments that are read. */
const MAX_SEGMENTS = 1_000_000

function segmentsRequest(place: ChangedPlace, { filter }: Group): ServiceRequest {
  const within = prefixed(filter, 'cases')
  return {
    path: '/segment_cnv_occurrences',
    query: {
      fields: 'case.case_id',
      size: MAX_SEGMENTS,
      ...(within && { case_filters: JSON.stringify(within) }),
    },
    filters: overlapping(place),
  }
}

/** Returns the filter of the segments that overlap a place. */
function overlapping({ direction, chromosome, start, end }: ChangedPlace): Filter {
  const condition = (op: string, field: string, value: number | string | readonly string[]) => ({
    op,
    content: { field: `segment_cnv.${field}`, value },
  })
  return {
    op: 'and',
    content: [
      condition('in', 'chromosome', [chromosome, `chr${chromosome}`]),
      condition('<=', 'start_position', end),
      condition('>=', 'end_position', start),
      namedChanges('segment_cnv', CHANGES[direction]),
    ],
  }
}
