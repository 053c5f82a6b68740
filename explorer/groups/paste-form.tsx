import { useState } from 'preact/hooks'
import { withCohort } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { makeSet, setFilter } from '../cohort/sets.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { useTask } from '../parts/use-task.ts'
import { useService } from '../service/context.ts'
import { Asked } from './asked.ts'
import { casesOf, idsIn, MAX_IDS, type PastedCases } from './pasted-ids.ts'

/** Maximum number of ids that are named in the answer. */
const MAX_NAMED = 20

/** Form that makes a cohort of a list of ids, and tells which of them name no case. */
export function PasteForm() {
  const { go } = usePlace()
  const service = useService()
  const [text, setText] = useState('')
  const [found, setFound] = useState<PastedCases>()
  const { isBusy, error, run } = useTask()
  const make = () =>
    run(async () => {
      setFound(undefined)
      const ids = idsIn(text)
      if (ids.length === 0) throw new Error('Paste ids or barcodes of cases first.')
      if (ids.length > MAX_IDS) {
        throw new Error(
          `These are ${ids.length.toLocaleString('en')} ids. At most ${MAX_IDS.toLocaleString('en')} are taken.`,
        )
      }
      const pasted = await casesOf(ids, new Asked(service, new AbortController().signal))
      setFound(pasted)
      if (pasted.cases.length === 0) return
      const condition = { op: 'in', content: { field: 'case_id', value: pasted.cases } }
      const kept = await makeSet(service, condition, 'frozen')
      go((now) => withCohort(now, { name: 'Pasted cases', filter: setFilter(kept) }))
    })
  return (
    <details class="paste">
      <summary>Paste ids</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          make()
        }}
      >
        <label>
          Ids or barcodes of cases, or barcodes of samples
          <textarea
            rows={4}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <p class="actions">
          <button type="submit" disabled={isBusy}>
            Make a cohort of them
          </button>
          <label>
            or of a file{' '}
            <input
              type="file"
              accept=".txt,.tsv,.csv,text/plain"
              onChange={async (event) => {
                const [file] = event.currentTarget.files ?? []
                if (file) setText(await file.text())
              }}
            />
          </label>
        </p>
      </form>
      {error !== '' && <ErrorNote text={error} />}
      {found && <Report found={found} />}
    </details>
  )
}

function Report({ found }: { readonly found: PastedCases }) {
  const { cases, given, unmatched, doubled, sameCase } = found
  const count = (value: number) => value.toLocaleString('en')
  return (
    <div class="note" aria-live="polite">
      <p>
        {count(given - unmatched.length)} of {count(given)} different ids name {count(cases.length)}{' '}
        {cases.length === 1 ? 'case' : 'cases'}.
      </p>
      {unmatched.length > 0 && (
        <p>
          Not found ({count(unmatched.length)}): {named(unmatched)}.
        </p>
      )}
      {doubled.length > 0 && (
        <p>
          More than once in the list ({count(doubled.length)}): {named(doubled)}.
        </p>
      )}
      {sameCase > 0 && (
        <p>
          {count(sameCase)} {sameCase === 1 ? 'id names' : 'ids name'} a case that another id names,
          too.
        </p>
      )}
    </div>
  )
}

const named = (ids: readonly string[]) =>
  `${ids.slice(0, MAX_NAMED).join(', ')}${ids.length > MAX_NAMED ? ' and others' : ''}`
