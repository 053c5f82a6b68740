import { useState } from 'preact/hooks'
import { counted } from '../../parts/counted.ts'
import { saveFile } from '../../parts/save.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { useService } from '../../service/context.ts'
import { FileRun } from './file-run.tsx'
import { type ProcessProgress, processFile } from './process-file.ts'
import type { FileSummary, Finding } from './registry-file.ts'
import { type FileProgress, type FileResult, MAX_FAILURES, resultTable } from './stage-file.ts'
import type { Version } from './staging-data.ts'

/** Form that stages a file of cases or of a registry. Shows failures, and counts of the results. */
export function FileForm({ version }: { readonly version: Version }) {
  const service = useService()
  const [isChosen, setChosen] = useState(false)
  return (
    <details class="case-file">
      <summary>Stage a file of cases</summary>
      <p class="soft">
        A table with a header of input names (tabs, commas or semicolons), JSON lines, NAACCR XML or
        the fixed columns of NAACCR 18. The service stores nothing of it.
      </p>
      <FileRun<ProcessProgress>
        label="File"
        fields={(isRunning) => (
          <label>
            Tumors of a NAACCR file
            <select
              disabled={isRunning}
              value={isChosen ? CHOSEN : ''}
              onChange={({ currentTarget }) => setChosen(currentTarget.value === CHOSEN)}
            >
              <option value="">
                by {version.algorithm} {version.version}
              </option>
              <option value={CHOSEN}>by the algorithm for their year, site and age</option>
            </select>
          </label>
        )}
        run={(given) => processFile({ service, version, isChosen, ...given })}
      >
        {(file, progress, isWhole) => (
          <Results name={file.name} progress={progress} isWhole={isWhole} />
        )}
      </FileRun>
    </details>
  )
}

const CHOSEN = 'auto'

interface ResultsProps {
  readonly name: string
  readonly progress: ProcessProgress
  readonly isWhole: boolean
}

function Results({ name, progress, isWhole }: ResultsProps) {
  const { cases, results, failures, answers, summary } = progress
  const stem = name.replace(/\.[^.]*$/, '')
  return (
    <section>
      <h3>{counted(cases, 'case')}</h3>
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
            <button
              type="button"
              onClick={() => saveFile(`${stem}-staged.ndjson`, answers ?? progress.lines)}
            >
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
          {summary && <Findings stem={stem} summary={summary} />}
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

/** Shows what the service found in a registry file, other than results. */
function Findings({ stem, summary }: { readonly stem: string; readonly summary: FileSummary }) {
  const { patients, tumors, counts } = summary
  const findings = counts.filter(({ kind }) => kind !== 'result')
  return (
    <>
      <p>
        {counted(patients, 'patient')} with {counted(tumors, 'tumor')}.{' '}
        {findings.length === 0 && 'No item had a fault.'}
      </p>
      {findings.length > 0 && (
        <Table
          caption="What else was found in the file"
          columns={FINDINGS}
          rows={findings}
          fileName={`${stem}-findings.tsv`}
        />
      )}
    </>
  )
}

const KINDS: Readonly<Record<string, string>> = {
  refused: 'patient not accepted',
  staging: 'error of staging',
  fault: 'fault of an item',
  bridged: 'value read from the item of another version',
  not_bridged: 'value of the item of another version, not read',
}

const FINDINGS: readonly Column<Finding>[] = [
  { title: 'Kind', value: ({ kind }) => KINDS[kind] ?? kind },
  { title: 'Code', value: ({ code }) => code.toLowerCase().replaceAll('_', ' ') },
  { title: 'Item or table', value: ({ of }) => of },
  { title: 'Times', value: ({ count }) => count },
  { title: 'First line', value: ({ line }) => line },
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
