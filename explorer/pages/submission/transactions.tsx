import { withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { Answered } from '../../parts/answered.tsx'
import { FoldedRequests } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useAnswer } from '../../service/use-answer.ts'
import { type GraphqlAnswer, graphqlRequest } from './graphql.ts'

interface TransactionEntry {
  readonly id: string
  readonly type: string
  readonly state: string
  readonly created_datetime: string
  readonly is_dry_run: boolean
  readonly submitter: string | null
}

interface EntityError {
  readonly row: number
  readonly type: string
  readonly keys: string
  readonly message: string
  readonly entity: string
}

/** Response to a document. Undefined until there is one. */
interface Response {
  readonly message: string | null
  readonly transactional_errors: readonly string[] | null
  readonly entities:
    | readonly {
        readonly type: string | null
        readonly unique_keys: string | null
        readonly errors:
          | readonly {
              readonly keys: readonly string[]
              readonly type: string
              readonly message: string
            }[]
          | null
      }[]
    | null
}

const NEWEST = `query ($project: [String]) {
  transaction_log(first: 50, project_id: $project, order_by_desc: "id") {
    id type state created_datetime is_dry_run submitter
  }
}`
const ONE = `query ($id: ID) {
  transaction_log(id: $id) {
    documents { response { message transactional_errors entities { type unique_keys errors { keys type message } } } }
  }
}`

/** Shows the latest transactions of a project, and the errors of the selected transaction row by row. */
export function Transactions({ projectId }: { readonly projectId: string }) {
  const { address } = usePlace()
  const opened = address.query.get('open')
  const request = graphqlRequest(NEWEST, { project: projectId })
  const answer =
    useAnswer<GraphqlAnswer<{ readonly transaction_log: readonly TransactionEntry[] }>>(request)
  const columns: readonly Column<TransactionEntry>[] = [
    {
      title: 'Transaction',
      value: ({ id }) => id,
      show: ({ id }) => (
        <Link to={withQuery(address, { open: opened === id ? undefined : id })}>{id}</Link>
      ),
    },
    ...COLUMNS,
  ]
  return (
    <section>
      <h2>Transactions</h2>
      <Answered answer={answer}>
        {({ data }) =>
          data.transaction_log.length === 0 ? (
            <EmptyNote>The project has no transactions yet.</EmptyNote>
          ) : (
            <Table
              caption={`The newest transactions of ${projectId}`}
              columns={columns}
              rows={data.transaction_log}
              fileName={`${projectId}-transactions.tsv`}
            />
          )
        }
      </Answered>
      {opened !== undefined && <OneTransaction id={opened} />}
      <FoldedRequests requests={[request]} />
    </section>
  )
}

function OneTransaction({ id }: { readonly id: string }) {
  interface Opened {
    readonly transaction_log: readonly {
      readonly documents: readonly { readonly response: Response | null }[]
    }[]
  }
  const answer = useAnswer<GraphqlAnswer<Opened>>(graphqlRequest(ONE, { id }))
  return (
    <section class="case" aria-label={`Transaction ${id}`}>
      <h3>Transaction {id}</h3>
      <Answered answer={answer}>
        {({ data }) => {
          const responses = data.transaction_log
            .flatMap(({ documents }) => documents)
            .flatMap(({ response }) => (response ? [response] : []))
          const errors = responses.flatMap(errorsOf)
          return (
            <>
              {responses.map(({ message, transactional_errors }, index) => (
                <p key={index}>{[message, ...(transactional_errors ?? [])].join(' ')}</p>
              ))}
              {errors.length > 0 && (
                <Table
                  caption="Errors, by the position of the entity in the document"
                  columns={ERROR_COLUMNS}
                  rows={errors}
                  fileName={`transaction-${id}-errors.tsv`}
                />
              )}
            </>
          )
        }}
      </Answered>
    </section>
  )
}

/** Returns the errors with row numbers. Row n is on line n + 1 of a table, after the header. */
const errorsOf = ({ entities }: Response): readonly EntityError[] =>
  (entities ?? []).flatMap(({ type, unique_keys, errors }, index) =>
    (errors ?? []).map((error) => ({
      row: index + 1,
      entity: `${type ?? ''} ${unique_keys ?? ''}`,
      type: error.type,
      keys: error.keys.join(', '),
      message: error.message,
    })),
  )

const COLUMNS: readonly Column<TransactionEntry>[] = [
  { title: 'Kind', value: ({ type, is_dry_run }) => (is_dry_run ? `${type}, dry run` : type) },
  { title: 'State', value: ({ state }) => state },
  {
    title: 'Sent',
    value: ({ created_datetime }) => created_datetime,
    show: ({ created_datetime }) => new Date(created_datetime).toLocaleString(),
  },
  { title: 'By', value: ({ submitter }) => submitter ?? undefined },
]

const ERROR_COLUMNS: readonly Column<EntityError>[] = [
  { title: 'Entity', value: ({ row }) => row },
  { title: 'Which', value: ({ entity }) => entity },
  { title: 'Error', value: ({ type }) => type },
  { title: 'Properties', value: ({ keys }) => keys },
  { title: 'Message', value: ({ message }) => message },
]
