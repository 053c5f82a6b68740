import { useState } from 'preact/hooks'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { FoldedRequests } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useService } from '../../service/context.ts'
import { useAnswer } from '../../service/use-answer.ts'

interface RecordedEvent {
  readonly time: string
  readonly action: string
  readonly subject: string | null
  readonly credential_kind: string | null
  readonly credential_id: string | null
  readonly address: string | null
  readonly release: string | null
  readonly status: number | null
  readonly files: readonly string[]
  readonly file_count: number
  readonly case_count: number
  readonly projects: readonly string[]
  readonly entities: readonly string[]
  readonly entity_count: number
  readonly outcome: string | null
  readonly parameters: string | null
}

interface Events {
  readonly data: readonly RecordedEvent[]
  readonly has_more: boolean
  readonly node: string
  readonly other_nodes: readonly string[]
}

const FIELDS = [
  ['file_id', 'File (ID)'],
  ['case_id', 'Case (ID)'],
  ['entity_id', 'Submitted entity (ID)'],
  ['subject', 'User'],
  ['since', 'Since (YYYY-MM-DD)'],
  ['until', 'Until (YYYY-MM-DD)'],
] as const

const SIZE = 1000

/** Shows who had which controlled data, for administrators of a service that keeps a record. */
export function WhoHad() {
  const hasToken = useService().credentials.token !== ''
  const [query, setQuery] = useState<string>()
  const request = query === undefined ? undefined : { path: `/audit/events?${query}` }
  const answer = useAnswer<Events>(hasToken ? request : undefined)
  return (
    <section>
      <h2>Who had which controlled data</h2>
      {hasToken ? (
        <form
          class="controls"
          onSubmit={(event) => {
            event.preventDefault()
            setQuery(queryOf(new FormData(event.currentTarget)))
          }}
        >
          {FIELDS.map(([name, title]) => (
            <label key={name}>
              {title}
              <input name={name} maxLength={200} />
            </label>
          ))}
          <button type="submit">Search the record</button>
        </form>
      ) : (
        <EmptyNote>
          The record needs the token of an administrator. Enter it under “Sign in”.
        </EmptyNote>
      )}
      <Answered answer={answer}>
        {({ data, has_more, node, other_nodes: others }) => (
          <>
            {others.length > 0 && (
              <EmptyNote>
                These are the events of this node only ({node}). {others.length} other{' '}
                {others.length === 1 ? 'node has a record' : 'nodes have records'} of their own.
                This command unites them, with the data folders of the others or copies of them:{' '}
                <code>{commandOf(query ?? '')}</code>
              </EmptyNote>
            )}
            <Table
              caption={`${counted(data.length, 'event')} of this node, newest first${has_more ? '; there may be older ones' : ''}`}
              columns={COLUMNS}
              rows={data}
              fileName="record.tsv"
            />
          </>
        )}
      </Answered>
      {request && <FoldedRequests title="Requests" requests={[request]} />}
    </section>
  )
}

function queryOf(form: FormData): string {
  const query = new URLSearchParams({ size: String(SIZE) })
  for (const [name] of FIELDS) {
    const value = String(form.get(name) ?? '').trim()
    if (value !== '') query.set(name, value)
  }
  return query.toString()
}

/** Returns the command that makes the same search in the records of all nodes. */
function commandOf(query: string): string {
  const given = new URLSearchParams(query)
  const options = FIELDS.flatMap(([name]) => {
    const value = given.get(name)
    const quoted = value?.replaceAll("'", "'\\''")
    return value === null ? [] : [`--${name.replace('_id', '')} '${quoted}'`]
  })
  return ['casemill audit export', ...options, '--data my-data /mnt/node-2'].join(' ')
}

const COLUMNS: readonly Column<RecordedEvent>[] = [
  { title: 'Time (UTC)', value: ({ time }) => time.replace('T', ' ').slice(0, 19) },
  { title: 'User', value: ({ subject }) => subject ?? '' },
  {
    title: 'Credential',
    value: ({ credential_kind: kind, credential_id: id }) => (kind ? `${kind} ${id}` : ''),
  },
  { title: 'Action', value: ({ action }) => action },
  { title: 'Status', value: ({ status }) => status ?? '' },
  { title: 'Files', value: ({ file_count: count }) => count },
  { title: 'File IDs, at most 100', value: ({ files }) => files.join(' ') },
  { title: 'Cases', value: ({ case_count: count }) => count },
  { title: 'Projects', value: ({ projects }) => projects.join(' ') },
  { title: 'Submitted entities', value: ({ entity_count: count }) => count },
  { title: 'Entity IDs, at most 100', value: ({ entities }) => entities.join(' ') },
  { title: 'Outcome', value: ({ outcome }) => outcome ?? '' },
  { title: 'Parameters', value: ({ parameters }) => parameters ?? '' },
  { title: 'Release', value: ({ release }) => release ?? '' },
  { title: 'Address', value: ({ address }) => address ?? '' },
]
