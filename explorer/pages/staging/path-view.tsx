import { useState } from 'preact/hooks'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { type StagingTable, type Step, tableRequest, type Version } from './staging-data.ts'

interface PathViewProps {
  readonly version: Version
  readonly steps: readonly Step[]
}

/** Purposes for which tables are used. */
const PURPOSES: Readonly<Record<string, string>> = {
  selection: 'selects the schema',
  year: 'accepts the year',
  input: 'validates an input',
  inclusion: 'lets the rules apply',
  exclusion: 'keeps the rules from applying',
  path: 'decides',
  jump: 'decides, called by the previous row',
  output: 'validates an output',
}

/** Shows the tables that led to the stage, in order, each with the matching row. */
export function PathView({ version, steps }: PathViewProps) {
  const [all, setAll] = useState(false)
  const deciding = steps.filter(({ purpose }) => ['path', 'jump', 'selection'].includes(purpose))
  const shown = all ? steps : deciding
  return (
    <section>
      <h2>Why: the deciding rows</h2>
      <ol class="path">
        {shown.map((step, index) => (
          <li key={index}>
            <StepView version={version} step={step} />
          </li>
        ))}
      </ol>
      <button type="button" class="quiet" aria-pressed={all} onClick={() => setAll(!all)}>
        {all ? 'Deciding tables only' : `All ${steps.length} tables`}
      </button>
    </section>
  )
}

function StepView({ version, step }: { readonly version: Version; readonly step: Step }) {
  const { table, purpose, mapping, row, inputs, endpoints = [] } = step
  const [isOpen, setOpen] = useState(false)
  const asked = inputs.map(({ key, value = '', cell }) =>
    cell === undefined
      ? `${key} = ${value || 'nothing'}`
      : `${key} = ${value || 'nothing'} matches ${cell}`,
  )
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{table}</strong> <span class="soft">{PURPOSES[purpose] ?? purpose}</span>
        {mapping !== undefined && <span class="soft"> in {mapping}</span>}:{' '}
        {row === undefined ? 'no row matches' : `row ${row + 1}`}, {asked.join(', ')}
        {endpoints.length > 0 && (
          <span>
            {' '}
            →{' '}
            {endpoints.map(({ key, cell }) => `${key}: ${cell.replace(/^VALUE:/, '')}`).join(', ')}
          </span>
        )}
      </summary>
      {isOpen && <WholeTable version={version} id={table} row={row} />}
    </details>
  )
}

interface WholeTableProps {
  readonly version: Version
  readonly id: string
  readonly row: number | undefined
}

/** Number of rows to show before and after the matching row, because a table may have thousands of rows. */
const ROWS_AROUND = 12

function WholeTable({ version, id, row = 0 }: WholeTableProps) {
  const answer = useAnswer<StagingTable>(tableRequest(version, id))
  const first = Math.max(0, row - ROWS_AROUND)
  return (
    <Answered answer={answer}>
      {({ title, definition, rows }) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        <section class="scrolls" tabIndex={0} aria-label={title}>
          <table>
            <caption>
              {title}, {counted(rows.length, 'row')}
            </caption>
            <thead>
              <tr>
                <th scope="col">Row</th>
                {definition.map(({ key, name, type }) => (
                  <th key={`${type} ${key}`} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(first, row + ROWS_AROUND + 1).map((cells, index) => (
                <tr
                  key={first + index}
                  class={first + index === row ? 'fits' : undefined}
                  aria-current={first + index === row}
                >
                  <td class="number">{first + index + 1}</td>
                  {cells.map((cell, place) => (
                    <td key={place}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Answered>
  )
}
