import { formatAddress, withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { Answered } from '../../parts/answered.tsx'
import { barChart } from '../../parts/bar-chart.ts'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { useAnswer } from '../../service/use-answer.ts'
import { EntityList } from './entity-list.tsx'
import { type GraphqlAnswer, graphqlRequest } from './graphql.ts'

const DICTIONARY = { path: '/submission/_dictionary' }

interface Count {
  readonly name: string
  readonly value: number
}

/** Shows the number of entities of each type in the project. */
export function EntityCounts({ projectId }: { readonly projectId: string }) {
  const { address } = usePlace()
  const dictionary = useAnswer<{ readonly links: readonly string[] }>(DICTIONARY)
  const types = (dictionary.data?.links ?? [])
    .map((link) => link.split('/').at(-1) ?? '')
    .filter((name) => /^[a-z]\w*$/.test(name) && !OUTSIDE.includes(name))
  const counts = types.map((name) => `_${name}_count(project_id: $project)`)
  const request =
    types.length > 0
      ? graphqlRequest(`query ($project: [String]) { ${counts.join(' ')} }`, {
          project: projectId,
        })
      : undefined
  const answer = useAnswer<GraphqlAnswer<Readonly<Record<string, number>>>>(request)
  return (
    <Answered answer={dictionary.error ? { ...answer, error: dictionary.error } : answer}>
      {({ data }) => {
        const rows: readonly Count[] = types
          .map((name) => ({ name, value: data[`_${name}_count`] ?? 0 }))
          .filter(({ value }) => value > 0)
          .toSorted((one, other) => other.value - one.value)
        if (rows.length === 0) return <EmptyNote>The project is empty.</EmptyNote>
        const opened = rows.find(({ name }) => name === address.query.get('type'))?.name
        const bars = rows.map((row) => ({
          ...row,
          href: formatAddress(withQuery(address, { type: row.name })),
        }))
        return (
          <>
            <Figure
              title="Entities by type"
              method={`All current entities of ${projectId}, released or not. A bar opens the entities of its type.`}
              requests={request ? [request] : []}
              columns={COLUMNS}
              rows={rows}
              fileName={`${projectId}-entities`}
              drawnOf={data}
              draw={(width) => barChart({ width, label: 'entities', bars })}
            />
            {opened && <EntityList projectId={projectId} type={opened} />}
          </>
        )
      }}
    </Answered>
  )
}

/** Types that belong to no single project. */
const OUTSIDE = ['root', 'program', 'project', 'data_release']

const COLUMNS = [
  { title: 'Type', value: ({ name }: Count) => name },
  { title: 'Entities', value: ({ value }: Count) => value },
]
