import { useMemo } from 'preact/hooks'
import { activeCohort, formatAddress, onPage, withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import type { Group } from '../../groups/group.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer, useAnswers } from '../../service/use-answer.ts'
import { geneName, type OncogridAnswer } from './oncogrid.ts'
import { OncogridView } from './oncogrid-view.tsx'
import { type Share, shareOf, sharesChart } from './shares-chart.ts'

/** Numbers of genes offered for the grid. */
const SIZES = [25, 50, 100, 200]
const MAX_CASES = 2000
/** Number of each cohort's top genes that are compared. */
const COMPARED = 20

/** Shows the most frequently mutated genes of the active cohort, or their frequency in groups. */
export function MutatedView({ groups }: { readonly groups: readonly Group[] }) {
  const { address, change } = usePlace()
  const { query } = address
  const active = activeCohort(address)
  const size = Number(query.get('size') ?? SIZES[1])
  const request: ServiceRequest = {
    path: '/analysis/oncogrid',
    body: { case_filters: caseFilters(active.filter), gene_size: size, case_size: MAX_CASES },
  }
  const answer = useAnswer<OncogridAnswer>(request)
  const leading = useAnswers<OncogridAnswer>(
    groups.length > 1
      ? groups.map(({ filter }) => ({
          path: '/analysis/oncogrid',
          body: { case_filters: caseFilters(filter), gene_size: COMPARED, case_size: 0 },
        }))
      : undefined,
  )
  return (
    <Answered answer={answer}>
      {(grid) =>
        grid.genes.length === 0 ? (
          <EmptyNote>
            None of the {grid.total.toLocaleString('en')} cases of the cohort has a mutation;{' '}
            {counted(grid.ssm_tested, 'was', 'were')} tested.
          </EmptyNote>
        ) : (
          <>
            {groups.length > 1 ? (
              leading.data && (
                <>
                  <ComparedGenes groups={groups} leading={leading.data} />
                  <p class="links">
                    <Link to={onPage(address, 'compare', { tests: 'genes' })}>
                      Test which genes are enriched in a group
                    </Link>
                  </p>
                </>
              )
            ) : (
              <SharesFigure
                title="Which genes are mutated most?"
                answers={[grid]}
                names={[active.name]}
                requests={[request]}
              />
            )}
            <OncogridView answer={grid} request={request}>
              <label>
                Genes
                <select
                  value={size}
                  onChange={(event) => change({ size: event.currentTarget.value })}
                >
                  {SIZES.map((count) => (
                    <option key={count} value={count}>
                      the {count} most mutated
                    </option>
                  ))}
                </select>
              </label>
            </OncogridView>
          </>
        )
      }
    </Answered>
  )
}

interface ComparedGenesProps {
  readonly groups: readonly Group[]
  /** Responses with the top genes of each group. */
  readonly leading: readonly OncogridAnswer[]
}

/** Compares the top genes of all groups. */
function ComparedGenes({ groups, leading }: ComparedGenesProps) {
  const ids = new Set(leading.flatMap(({ genes }) => genes.map(({ gene_id }) => gene_id)))
  const requests = groups.map(
    ({ filter }): ServiceRequest => ({
      path: '/analysis/oncogrid',
      body: {
        case_filters: caseFilters(filter),
        gene_ids: [...ids].slice(0, 200),
        gene_size: 200,
        case_size: 0,
      },
    }),
  )
  const answer = useAnswers<OncogridAnswer>(ids.size > 0 ? requests : undefined)
  return (
    <Answered answer={answer}>
      {(answers) => (
        <SharesFigure
          title="Which genes are mutated in which group?"
          answers={answers}
          names={groups.map(({ name }) => name)}
          requests={requests}
        />
      )}
    </Answered>
  )
}

interface SharesFigureProps {
  readonly title: string
  /** Responses, one for each group. */
  readonly answers: readonly OncogridAnswer[]
  readonly names: readonly string[]
  readonly requests: readonly ServiceRequest[]
}

const MUTATED = 'Mutated of tested cases (%)'

interface Row extends Share {
  readonly geneId: string
}

function SharesFigure({ title, answers, names, requests }: SharesFigureProps) {
  const { address } = usePlace()
  const rows = answers.flatMap(({ genes, ssm_tested: tested }, place) =>
    genes.map((gene): Row => {
      const cohort = names[place] ?? ''
      return {
        name: geneName(gene),
        geneId: gene.gene_id,
        cohort,
        cases: gene.ssm_cases,
        tested,
      }
    }),
  )
  const highest = new Map<string, number>()
  for (const row of rows) highest.set(row.name, Math.max(shareOf(row), highest.get(row.name) ?? 0))
  const order = [...highest].toSorted(([, one], [, other]) => other - one).map(([name]) => name)
  const drawn = useMemo(
    () => order.slice(0, COMPARED).flatMap((name) => rows.filter((row) => row.name === name)),
    [...answers, names.join('\n')],
  )
  const tested = answers.map(
    ({ ssm_tested, total }, place) =>
      `${ssm_tested.toLocaleString('en')} of ${total.toLocaleString('en')}${answers.length > 1 ? ` in ${names[place]}` : ''}`,
  )
  const columns: readonly Column<Row>[] = [
    {
      title: 'Gene',
      value: ({ name }) => name,
      show: ({ name, geneId }) => <Link to={withQuery(address, { gene: geneId })}>{name}</Link>,
    },
    { title: 'Gene id', value: ({ geneId }) => geneId },
    ...(answers.length > 1 ? [{ title: 'Group', value: ({ cohort }: Row) => cohort }] : []),
    { title: 'Mutated cases', value: ({ cases }) => cases },
    { title: 'Tested cases', value: (row) => row.tested },
    { title: 'Share', value: shareOf },
  ]
  return (
    <Figure
      title={title}
      method={`Cases with a simple mutation in the gene, of those that were tested: that have data on mutations. These are ${tested.join(', ')} cases. The ${Math.min(order.length, COMPARED)} genes with the highest shares.`}
      requests={requests}
      columns={columns}
      rows={order.flatMap((name) => rows.filter((row) => row.name === name))}
      fileName="mutated-genes"
      drawnOf={drawn}
      draw={(width) =>
        sharesChart({
          width,
          label: MUTATED,
          shares: drawn,
          cohorts: names,
          hrefOf: ({ name }) => formatAddress(withQuery(address, { gene: name })),
        })
      }
    />
  )
}
