import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import { unknownOf, useNamedGenes } from '../../genes/named-genes.ts'
import type { Group } from '../../groups/group.ts'
import { effectOf } from '../../groups/group-test.ts'
import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { splitOf } from '../../groups/split.ts'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { FailedNote } from '../../parts/failed-note.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { shownP } from '../../parts/shown-p.ts'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswers } from '../../service/use-answer.ts'
import { askedName, genesOf, readVariable } from './case-variable.ts'
import { VariableForm } from './variable-form.tsx'
import type { AskedVariable, Of, VariablesAnswer } from './variables-answer.ts'
import { BoxesFigure, PartsFigure, ScatterFigure } from './variables-figures.tsx'

const FIRST = 'diagnoses.age_at_diagnosis'
const SECOND = 'burden'
/** Maximum number of drawn cases of all groups. */
const MAX_POINTS = 3000

/** Page that relates two properties of the cases, in each group. */
export function VariablesPage() {
  const { address, change } = usePlace()
  const [x, y] = [address.query.get('x') ?? FIRST, address.query.get('y') ?? SECOND]
  const variables = [readVariable(x), readVariable(y)] as const
  const named = [...new Set(variables.flatMap(genesOf))]
  const genes = useNamedGenes(named)
  const grouping = useGroups()
  const [first, second] = variables.map((variable): AskedVariable | undefined => {
    const asked = genes.isLoading ? undefined : askedName(variable, genes.data ?? [])
    return asked === undefined ? undefined : { variable, asked }
  })
  const unknown = genes.data ? unknownOf(named, genes.data) : []
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <VariableForm label="First variable" value={x} take={(next) => change({ x: next })} />
        <VariableForm label="Second variable" value={y} take={(next) => change({ y: next })} />
        <button type="button" onClick={() => change({ x: y, y: x })}>
          Swap
        </button>
      </form>
      <GroupsPicker />
      {genes.error && <FailedNote error={genes.error} />}
      <Answered answer={grouping}>
        {(made) => (
          <>
            {splitOf(address).by !== 'cohorts' && <GroupsNote grouping={made} />}
            {first && second ? (
              <>
                {unknown.length > 0 && <EmptyNote>{noGene(unknown)}</EmptyNote>}
                <Related x={first} y={second} groups={made.groups} />
              </>
            ) : (
              !genes.isLoading &&
              !genes.error && (
                <EmptyNote>
                  {unknown.length > 0
                    ? `${noGene(unknown)} Try TP53.`
                    : 'Name a field of cases, such as demographic.gender, or a gene, such as TP53.'}
                </EmptyNote>
              )
            )}
          </>
        )}
      </Answered>
    </>
  )
}

const noGene = (unknown: readonly string[]) =>
  `No gene has the symbol or id ${unknown.join(' or ')}.`

interface RelatedProps {
  readonly x: AskedVariable
  readonly y: AskedVariable
  readonly groups: readonly Group[]
}

function Related({ x, y, groups }: RelatedProps) {
  const requests = groups.map(
    ({ filter }): ServiceRequest => ({
      path: '/analysis/variables',
      body: {
        case_filters: caseFilters(filter),
        x: x.asked,
        y: y.asked,
        size: Math.ceil(MAX_POINTS / groups.length),
      },
    }),
  )
  const answers = useAnswers<VariablesAnswer>(requests)
  return (
    <Answered answer={answers}>
      {(data) => {
        const known = data.reduce((sum, one) => sum + one.known, 0)
        if (known === 0) {
          return <EmptyNote>No case of the groups has one value of both variables.</EmptyNote>
        }
        const shown = { x, y, requests }
        return (
          <>
            {data.map((one, place) => (
              <p key={groups[place]?.name} class="result">
                {data.length > 1 && `${groups[place]?.name}: `}
                {testText(one)}
              </p>
            ))}
            {data[0]?.kind === 'scatter' ? (
              <ScatterFigure {...shown} answers={answersOf('scatter', data, groups)} />
            ) : data[0]?.kind === 'boxes' ? (
              <BoxesFigure {...shown} answers={answersOf('boxes', data, groups)} />
            ) : (
              <PartsFigure {...shown} answers={answersOf('table', data, groups)} />
            )}
          </>
        )
      }}
    </Answered>
  )
}

/** Returns the answers of one kind with their groups. */
function answersOf<Kind extends VariablesAnswer['kind']>(
  kind: Kind,
  data: readonly VariablesAnswer[],
  groups: readonly Group[],
): readonly Of<Kind>[] {
  const isOfKind = (one: VariablesAnswer): one is Of<Kind>['answer'] => one.kind === kind
  return data.flatMap((answer, place) => {
    const group = groups[place]
    return group && isOfKind(answer) ? [{ group, answer }] : []
  })
}

/** Names of tests in a sentence. */
const TESTS: Readonly<Record<string, string>> = {
  fisher: 'Fisher’s exact test',
  'chi-square': 'Chi-square test',
  'mann-whitney': 'Mann-Whitney test',
  'mann-whitney-exact': 'Exact Mann-Whitney test',
  'kruskal-wallis': 'Kruskal-Wallis test',
}

function testText(answer: VariablesAnswer): string {
  const cases = `${answer.known.toLocaleString('en')} of ${counted(answer.total, 'case')}`
  if (answer.kind !== 'scatter') {
    const { test } = answer
    return test
      ? `${TESTS[test.method] ?? test.method}: p = ${shownP(test.p_value)}, ${effectOf(test)}, ${cases}`
      : `No test, because fewer than two values occur, ${cases}`
  }
  const { pearson, spearman } = answer
  if (!pearson || !spearman) {
    return `No correlation, because there are too few different numbers, ${cases}`
  }
  const { lower_95: low, upper_95: high } = pearson
  const interval =
    low === null || high === null ? '' : ` (${low.toPrecision(3)} to ${high.toPrecision(3)})`
  return `Pearson’s r = ${pearson.coefficient.toPrecision(3)}${interval}, p = ${shownP(pearson.p_value)}; Spearman’s ρ = ${spearman.coefficient.toPrecision(3)}, p = ${shownP(spearman.p_value)}, ${cases}`
}
