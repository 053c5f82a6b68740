import { counted } from '../../parts/counted.ts'
import { saveFile } from '../../parts/save.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { useService } from '../../service/context.ts'
import { EDIT_COLUMNS, type EditCount, type EditProgress, editFile } from './edit-file.ts'
import { FileRun } from './file-run.tsx'
import { MAX_FAILURES } from './stage-file.ts'

/** Form that runs the edits of the service on a registry file. Shows counts, and each edit that is not passed. */
export function EditForm() {
  const service = useService()
  return (
    <details class="edit-file">
      <summary>Edit a registry file</summary>
      <p class="soft">
        NAACCR XML or the fixed columns of NAACCR 18. Items are checked by themselves and against
        each other, by the rules of the operator or the built-in ones. The service stores nothing of
        the file.
      </p>
      <FileRun<EditProgress> label="NAACCR file" run={(given) => editFile({ service, ...given })}>
        {(file, progress, isWhole) => (
          <Edits name={file.name} progress={progress} isWhole={isWhole} />
        )}
      </FileRun>
    </details>
  )
}

interface EditsProps {
  readonly name: string
  readonly progress: EditProgress
  readonly isWhole: boolean
}

function Edits({ name, progress, isWhole }: EditsProps) {
  const { patients, tumors, passed, counts, failures, answers, summary } = progress
  const stem = name.replace(/\.[^.]*$/, '')
  return (
    <section>
      <h3>
        {passed.toLocaleString('en')} of {counted(tumors, 'tumor passes', 'tumors pass')} all edits
      </h3>
      <p>
        {counted(patients, 'patient')}.
        {summary &&
          ` ${counted(summary.rules, 'rule')}; the codes of ${counted(summary.codedItems, 'item was', 'items were')} checked.`}
        {summary &&
          summary.notApplied.length > 0 &&
          ` Not applied, because the file cannot have their items: ${summary.notApplied.join(', ')}.`}
      </p>
      {isWhole && (
        <>
          <p class="actions">
            <button type="button" onClick={() => saveFile(`${stem}-edited.ndjson`, answers)}>
              Save results as JSON lines
            </button>
          </p>
          {counts.length > 0 && (
            <>
              <Table
                caption="Edits that were not passed"
                columns={COUNTS}
                rows={counts}
                fileName={`${stem}-edits.tsv`}
              />
              <Table
                caption={`Edits by tumor${failures.length === MAX_FAILURES ? `, the first ${MAX_FAILURES}` : ''}`}
                columns={EDIT_COLUMNS}
                rows={failures}
                fileName={`${stem}-edited.tsv`}
              />
            </>
          )}
        </>
      )}
    </section>
  )
}

const COUNTS: readonly Column<EditCount>[] = [
  { title: 'Edit', value: ({ number }) => number },
  { title: 'Name', value: ({ name }) => name },
  { title: 'Times', value: ({ count }) => count },
]
