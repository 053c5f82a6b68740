import { useEffect, useRef } from 'preact/hooks'
import { Answered } from '../../parts/answered.tsx'
import { FoldedRequests } from '../../parts/figure.tsx'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../service/use-answer.ts'
import { type GraphqlAnswer, graphqlRequest } from './graphql.ts'

interface Entity {
  readonly id: string
  readonly submitter_id: string | null
  readonly state: string | null
  readonly updated_datetime: string | null
}

interface EntityListProps {
  readonly projectId: string
  /** Name of a type of the dictionary. */
  readonly type: string
}

/** Maximum number of entities that are listed. */
const LISTED = 1000

/** Shows the newest entities of a type in a project. */
export function EntityList({ projectId, type }: EntityListProps) {
  const section = useRef<HTMLElement>(null)
  useEffect(() => section.current?.focus(), [type])
  const request = graphqlRequest(
    `query ($project: [String]) { ${type}(project_id: $project, first: ${LISTED}, order_by_desc: "updated_datetime") { id submitter_id state updated_datetime } }`,
    { project: projectId },
  )
  const answer = useAnswer<GraphqlAnswer<Readonly<Record<string, readonly Entity[]>>>>(request)
  return (
    <section ref={section} class="case" tabIndex={-1} aria-label={`Entities of type ${type}`}>
      <h2>Entities of type {type}</h2>
      <Answered answer={answer}>
        {({ data }) => (
          <Table
            caption={`The newest of ${projectId}`}
            columns={COLUMNS}
            rows={data[type] ?? []}
            fileName={`${projectId}-${type}.tsv`}
          />
        )}
      </Answered>
      <FoldedRequests requests={[request]} />
    </section>
  )
}

const COLUMNS = [
  { title: 'Submitter id', value: (row: Entity) => row.submitter_id ?? undefined },
  { title: 'State', value: (row: Entity) => row.state ?? undefined },
  { title: 'Updated', value: (row: Entity) => row.updated_datetime ?? undefined },
  { title: 'Id', value: (row: Entity) => row.id },
]
