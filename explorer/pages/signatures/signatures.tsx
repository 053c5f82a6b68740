import { useMemo } from 'preact/hooks'
import { formatAddress, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import { bothOf } from '../../filter/filter.ts'
import { substitutionFilter } from '../../genes/changed-filters.ts'
import type { Grouping } from '../../groups/group.ts'
import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswers } from '../../service/use-answer.ts'
import { classBars, contextBars, type SpectrumAnswer, type SpectrumBar } from './counts.ts'
import { spectrumChart } from './spectrum-chart.ts'

/** Page for the substitutions of groups of cases: six classes, and 96 contexts of mutational signatures. */
export function SignaturesPage() {
  const grouping = useGroups()
  return (
    <>
      <GroupsPicker />
      <Answered answer={grouping}>
        {(made) => (
          <>
            <GroupsNote grouping={made} />
            <Spectra grouping={made} />
          </>
        )}
      </Answered>
    </>
  )
}

function Spectra({ grouping }: { readonly grouping: Grouping }) {
  const { groups } = grouping
  const requests = groups.map(
    ({ filter }): ServiceRequest => ({
      path: '/analysis/mutation_burden',
      body: { case_filters: caseFilters(filter), size: 0, contexts: true },
    }),
  )
  const answer = useAnswers<SpectrumAnswer>(requests)
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
  readonly answers: readonly SpectrumAnswer[]
  readonly requests: readonly ServiceRequest[]
}

function Figures({ grouping: { groups }, answers, requests }: FiguresProps) {
  const { address } = usePlace()
  const hrefOf = ({ group, substitution }: SpectrumBar) => {
    const within = groups.find(({ name }) => name === group)?.filter
    const filter = bothOf(within, substitutionFilter(substitution))
    return formatAddress(toCohort(address, 'cohort', { name: `${group}, ${substitution}`, filter }))
  }
  const classes = useMemo(() => classBars(groups, answers), [groups, answers])
  const contexts = useMemo(() => contextBars(groups, answers), [groups, answers])
  const sum = (bars: readonly SpectrumBar[]) => bars.reduce((all, { count }) => all + count, 0)
  const [substitutions, placed] = [sum(classes), sum(contexts)]
  if (substitutions === 0) {
    return <EmptyNote>No tested case of these groups has a substitution.</EmptyNote>
  }
  const unknown = answers.reduce((all, one) => all + one.unknown_contexts, 0)
  const tested = answers.reduce((all, one) => all + one.tested, 0)
  return (
    <>
      <Figure
        title="Which bases are replaced?"
        method={`${counted(substitutions, 'substitution')} of one base in ${counted(tested, 'case')} tested for mutations, named by the pyrimidine of the base pair. Shares are of all substitutions of a group. A bar opens the cases with such a substitution.`}
        requests={requests}
        columns={COLUMNS}
        rows={classes}
        fileName="substitutions"
        drawnOf={classes}
        draw={(width) => spectrumChart(classes, { width, hrefOf })}
      />
      {placed === 0 ? (
        <EmptyNote>
          The bases around these substitutions are unknown: their mutation tables had no column
          CONTEXT.
        </EmptyNote>
      ) : (
        <Figure
          title="Which bases are around them?"
          method={`${counted(placed, 'substitution')} by the bases before and after them: the 96 contexts of mutational signatures. A bar opens the cases with its substitution, whatever is around it. ${unknown === 0 ? 'All contexts are known.' : `Of ${unknown.toLocaleString('en')} more they are unknown.`}`}
          requests={requests}
          columns={COLUMNS}
          rows={contexts}
          fileName="substitution-contexts"
          drawnOf={contexts}
          draw={(width) => spectrumChart(contexts, { width, hrefOf })}
        />
      )}
    </>
  )
}

const COLUMNS = [
  { title: 'Group', value: (row: SpectrumBar) => row.group },
  { title: 'Substitution', value: (row: SpectrumBar) => row.name },
  { title: 'Mutations', value: (row: SpectrumBar) => row.count },
  { title: 'Share', value: (row: SpectrumBar) => row.share },
]
