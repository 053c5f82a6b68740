import { useRef, useState } from 'preact/hooks'
import type { Query } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { errorText } from '../../parts/error-text.ts'
import { ErrorNote } from '../../parts/notes.tsx'
import { useService } from '../../service/context.ts'
import { sendBytes, wordsOf } from '../../service/send-bytes.ts'
import { typeOfEntities } from './entities-type.ts'

interface SendEntitiesProps {
  readonly projectId: string
  /** Called after a submission, because the displayed state of the project may have changed. */
  readonly onSent: () => void
}

/** Response to a document, with the members that the page reads. */
interface Sent {
  readonly success: boolean
  readonly message?: string
  readonly transaction_id?: number
  readonly created_entity_count?: number
  readonly updated_entity_count?: number
}

const OPERATIONS = [
  ['POST', 'create'],
  ['PUT', 'create or update'],
  ['PATCH', 'update'],
] as const

type Operation = (typeof OPERATIONS)[number][0]

/** Form to submit a table or JSON of entities: as a dry run to be committed, or directly. */
export function SendEntities({ projectId, onSent }: SendEntitiesProps) {
  const { address, change } = usePlace()
  const { credentials } = useService()
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const [operation, setOperation] = useState<Operation>('POST')
  const [sent, setSent] = useState<{ readonly answer: Sent; readonly isDryRun: boolean }>()
  const [error, setError] = useState('')
  const running = useRef<AbortController>(undefined)
  const [isBusy, setBusy] = useState(false)
  const project = `/submission/${projectId.replace('-', '/')}`

  const send = async (path: string, isDryRun: boolean, body?: string) => {
    const stop = new AbortController()
    running.current = stop
    setBusy(true)
    setError('')
    setSent(undefined)
    try {
      const answer = await sendBytes({
        method: body === undefined ? 'POST' : operation,
        path,
        headers: {
          'X-Auth-Token': credentials.token,
          Accept: 'application/json',
          ...(body !== undefined && { 'Content-Type': typeOfEntities(body) }),
          ...(name !== '' && body !== undefined && { 'X-Document-Name': encodeURIComponent(name) }),
        },
        ...(body !== undefined && { body }),
        signal: stop.signal,
      })
      const response = JSON.parse(answer.text) as Sent
      if (response.transaction_id === undefined) setError(wordsOf(answer))
      else {
        setSent({ answer: response, isDryRun })
        // Meanwhile, the user may have switched to another project.
        const isShown = (now: Query) => now.get('project') === address.query.get('project')
        const open = String(response.transaction_id)
        change((now) => (isShown(now) ? { open } : {}), { replaces: true })
      }
      onSent()
    } catch (cause) {
      setError(errorText(cause))
    } finally {
      setBusy(false)
    }
  }

  const take = async (file: File | undefined) => {
    if (!file) return
    setName(file.name)
    setText(await file.text())
  }
  return (
    <section>
      <h2>Send entities</h2>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          A table (TSV, CSV) or JSON
          <input
            type="file"
            accept=".tsv,.csv,.json,.txt"
            onChange={(event) => take(event.currentTarget.files?.[0])}
          />
        </label>
        <label>
          What to do
          <select
            value={operation}
            onChange={(event) => setOperation(event.currentTarget.value as Operation)}
          >
            {OPERATIONS.map(([method, words]) => (
              <option key={method} value={method}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </form>
      <label class="wide">
        <span class="soft">or paste it here</span>
        <textarea
          rows={5}
          spellcheck={false}
          value={text}
          onInput={(event) => {
            setName('')
            setText(event.currentTarget.value)
          }}
        />
      </label>
      <p class="actions">
        <button
          type="button"
          disabled={isBusy || text.trim() === ''}
          onClick={() => send(`${project}/_dry_run`, true, text)}
        >
          Try it
        </button>
        <button
          type="button"
          class="main"
          disabled={isBusy || text.trim() === ''}
          onClick={() => send(project, false, text)}
        >
          Send it
        </button>
        {isBusy && (
          <>
            <progress aria-label="The document is being validated" />
            <button type="button" onClick={() => running.current?.abort()}>
              Cancel
            </button>
          </>
        )}
      </p>
      {error !== '' && <ErrorNote text={error} />}
      {sent && (
        <p class={sent.answer.success ? 'note' : 'note error'} role="alert">
          {summaryOf(sent.answer, sent.isDryRun)}{' '}
          {sent.answer.success && sent.isDryRun && (
            <button
              type="button"
              onClick={() =>
                send(`${project}/transactions/${sent.answer.transaction_id}/commit`, false)
              }
            >
              Commit it
            </button>
          )}
        </p>
      )}
    </section>
  )
}

function summaryOf(sent: Sent, isDryRun: boolean): string {
  const { success, created_entity_count: created = 0, updated_entity_count: updated = 0 } = sent
  if (!success) return `Nothing was written. ${sent.message ?? ''} See the errors below.`
  const counts = `${created} created, ${updated} updated`
  return isDryRun ? `It would be accepted: ${counts}.` : `It was accepted: ${counts}.`
}
