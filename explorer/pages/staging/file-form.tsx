import { useRef, useState } from 'preact/hooks'
import { errorText } from '../../parts/error-text.ts'
import { ErrorNote } from '../../parts/notes.tsx'
import { saveFile } from '../../parts/save.ts'
import { sizeText } from '../../parts/size.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { useService } from '../../service/context.ts'
import {
  type FileProgress,
  type FileResult,
  MAX_FAILURES,
  resultTable,
  stageFile,
} from './stage-file.ts'
import type { Version } from './staging-data.ts'

/** Form that stages a file of cases. Shows failures, and counts of the results. */
export function FileForm({ version }: { readonly version: Version }) {
  const service = useService()
  const running = useRef<AbortController>(undefined)
  const [file, setFile] = useState<File>()
  const [progress, setProgress] = useState<FileProgress>()
  const [state, setState] = useState<'idle' | 'running' | 'done' | 'cancelled'>('idle')
  const [error, setError] = useState<string>()
  const stage = async (chosen: File) => {
    const stop = new AbortController()
    running.current = stop
    setFile(chosen)
    setProgress(undefined)
    setError(undefined)
    setState('running')
    try {
      const { signal } = stop
      const given = { service, version, file: chosen, onProgress: setProgress, signal }
      setProgress(await stageFile(given))
      setState('done')
    } catch (cause) {
      setState(stop.signal.aborted ? 'cancelled' : 'idle')
      if (!stop.signal.aborted) setError(errorText(cause))
    }
  }
  const isRunning = state === 'running'
  return (
    <details class="case-file">
      <summary>Stage a file of cases</summary>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          A table with a header of input names (tabs, commas or semicolons), or JSON lines
          <input
            type="file"
            disabled={isRunning}
            onChange={({ currentTarget }) => {
              const [chosen] = currentTarget.files ?? []
              if (chosen) void stage(chosen)
            }}
          />
        </label>
        {isRunning && (
          <button type="button" onClick={() => running.current?.abort()}>
            Cancel
          </button>
        )}
      </form>
      {file && isRunning && (
        <p>
          <progress
            max={Math.max(1, file.size)}
            value={progress?.bytes ?? 0}
            aria-label={`Part of ${file.name} that is staged`}
          />{' '}
          {sizeText(progress?.bytes ?? 0)} of {sizeText(file.size)}
        </p>
      )}
      {error && <ErrorNote text={error} />}
      {state === 'cancelled' && <p class="note">Cancelled. What was staged before is below.</p>}
      {file && progress && <Results name={file.name} progress={progress} isWhole={!isRunning} />}
    </details>
  )
}

interface ResultsProps {
  readonly name: string
  readonly progress: FileProgress
  readonly isWhole: boolean
}

function Results({ name, progress, isWhole }: ResultsProps) {
  const { cases, results, failures } = progress
  const stem = name.replace(/\.[^.]*$/, '')
  return (
    <section>
      <h3>{cases.toLocaleString('en')} cases</h3>
      <dl class="numbers">
        {[...results].map(([result, count]) => (
          <div key={result}>
            <dt>{result.toLowerCase().replaceAll('_', ' ')}</dt>
            <dd>{count.toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      {isWhole && (
        <>
          <p class="actions">
            <button
              type="button"
              onClick={async () => saveFile(`${stem}-staged.tsv`, await resultTable(progress))}
            >
              Save results as TSV
            </button>
            <button type="button" onClick={() => saveFile(`${stem}-staged.ndjson`, progress.lines)}>
              Save results as JSON lines
            </button>
          </p>
          {failures.length > 0 && (
            <Table
              caption={`Cases that were not staged${failures.length === MAX_FAILURES ? `, the first ${MAX_FAILURES}` : ''}`}
              columns={FAILURES}
              rows={failures}
              fileName={`${stem}-not-staged.tsv`}
            />
          )}
          <Counts stem={stem} progress={progress} />
        </>
      )}
    </section>
  )
}

const FAILURES: readonly Column<FileResult>[] = [
  { title: 'Line', value: ({ line }) => line },
  { title: 'Site', value: ({ inputs }) => inputs.site },
  { title: 'Histology', value: ({ inputs }) => inputs.hist },
  { title: 'Result', value: ({ result }) => result.toLowerCase().replaceAll('_', ' ') },
  { title: 'Why', value: ({ messages }) => messages.join('; ') },
]

/** Shows how many cases have each value of one input or output. */
function Counts({ stem, progress }: { readonly stem: string; readonly progress: FileProgress }) {
  const names = [...progress.counts.keys()].toSorted()
  const first = ['year_dx', 'site'].find((name) => names.includes(name)) ?? names[0]
  const [chosen, setChosen] = useState(first)
  const counts = progress.counts.get(chosen ?? '')
  if (chosen === undefined || counts === undefined) return null
  const rows = [...counts].toSorted(([one], [other]) => one.localeCompare(other, 'en'))
  return (
    <>
      <label>
        Count by{' '}
        <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <Table
        caption={`Cases by ${chosen}`}
        columns={[
          { title: chosen, value: ([value]) => value },
          { title: 'Cases', value: ([, count]) => count },
        ]}
        rows={rows}
        fileName={`${stem}-by-${chosen}.tsv`}
      />
    </>
  )
}
