import { useMemo } from 'preact/hooks'
import { formatAddress, onPage, withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import type { Grouping } from '../../groups/group.ts'
import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswers } from '../../service/use-answer.ts'
import { ChangedCases, openedBy } from './changed-cases.tsx'
import { binsOf, extentsOf, type GenomeBin, type SegmentsAnswer, shareOf } from './genome.ts'
import { type GenomeBar, genomeChart, tracksChart } from './genome-chart.ts'

/** Number of bases per bin, and of cases with tracks in each group. */
const BIN = 3_000_000
const TRACKS = 20

/** Page for copy-number gains and losses along the genome, of groups of cases. */
export function SegmentsPage() {
  const grouping = useGroups()
  return (
    <>
      <GroupsPicker />
      <Answered answer={grouping}>
        {(made) => (
          <>
            <GroupsNote grouping={made} />
            <Genome grouping={made} />
          </>
        )}
      </Answered>
    </>
  )
}

function Genome({ grouping }: { readonly grouping: Grouping }) {
  const requests = grouping.groups.map(
    ({ filter }): ServiceRequest => ({
      path: '/analysis/copy_number_segments',
      body: { case_filters: caseFilters(filter), bin_size: BIN, size: TRACKS },
    }),
  )
  const answer = useAnswers<SegmentsAnswer>(requests)
  return (
    <Answered answer={answer}>
      {(answers) => (
        <Figures
          grouping={grouping}
          answers={answers}
          requests={[...grouping.requests, ...requests]}
        />
      )}
    </Answered>
  )
}

interface FiguresProps {
  readonly grouping: Grouping
  readonly answers: readonly SegmentsAnswer[]
  readonly requests: readonly ServiceRequest[]
}

function Figures({ grouping: { groups }, answers, requests }: FiguresProps) {
  const { address } = usePlace()
  const bins = useMemo(() => binsOf(groups, answers), [groups, answers])
  const tested = answers.reduce((all, one) => all + one.tested, 0)
  const [first] = answers
  if (!first || tested === 0) {
    return <EmptyNote>No case of these groups was tested for copy-number segments.</EmptyNote>
  }
  const extents = extentsOf(first)
  const hrefOf = (id: string) => formatAddress(withQuery(onPage(address, 'case'), { id }))
  const binHref = ({ isGain, ...bin }: GenomeBar) => {
    const place = openedBy({ ...bin, direction: isGain ? 'gain' : 'loss' })
    return formatAddress(withQuery(address, place))
  }
  return (
    <>
      <Figure
        title="Where are copies gained and lost?"
        method={`Shares of the cases that were tested for segments, ${tested.toLocaleString('en')} in all, with a gain (up) or a loss (down) in each ${BIN / 1e6} million bases. A case counts once in each bin. A bar opens its cases.`}
        requests={requests}
        columns={COLUMNS}
        rows={bins}
        fileName="copy-number-segments"
        drawnOf={bins}
        draw={(width) => genomeChart(bins, extents, { width, hrefOf: binHref })}
      />
      <ChangedCases groups={groups} />
      {answers.map((answer, place) => {
        const name = groups[place]?.name ?? ''
        return (
          answer.cases.length > 0 && (
            <Figure
              key={name}
              title={`Segments of the most changed cases: ${name}`}
              method={`The ${answer.cases.length} of ${answer.tested.toLocaleString('en')} tested cases with the most changed bases. A segment opens its case.`}
              requests={requests}
              columns={SEGMENT_COLUMNS}
              rows={answer.cases.flatMap((one) =>
                one.segments.map((segment) => ({
                  ...segment,
                  case: one.submitter_id ?? one.case_id,
                })),
              )}
              fileName="segments-of-cases"
              drawnOf={answer}
              draw={(width) => tracksChart(answer, extents, { width, hrefOf })}
            />
          )
        )
      })}
    </>
  )
}

const COLUMNS = [
  { title: 'Group', value: (row: GenomeBin) => row.group },
  { title: 'Chromosome', value: (row: GenomeBin) => row.chromosome },
  { title: 'Start', value: (row: GenomeBin) => row.start },
  { title: 'End', value: (row: GenomeBin) => row.end },
  { title: 'Tested cases', value: (row: GenomeBin) => row.tested },
  { title: 'With a gain', value: (row: GenomeBin) => row.gains },
  { title: 'With a loss', value: (row: GenomeBin) => row.losses },
  { title: 'Share with a gain', value: (row: GenomeBin) => shareOf(row.gains, row.tested) },
  { title: 'Share with a loss', value: (row: GenomeBin) => shareOf(row.losses, row.tested) },
]

type SegmentRow = SegmentsAnswer['cases'][number]['segments'][number] & { readonly case: string }

const SEGMENT_COLUMNS = [
  { title: 'Case', value: (row: SegmentRow) => row.case },
  { title: 'Chromosome', value: (row: SegmentRow) => row.chromosome },
  { title: 'Start', value: (row: SegmentRow) => row.start },
  { title: 'End', value: (row: SegmentRow) => row.end },
  { title: 'Change', value: (row: SegmentRow) => row.change },
]
