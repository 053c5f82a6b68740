interface FileFormProps {
  readonly files: readonly {
    readonly id: string
    readonly file_name: string
    readonly access: string
    readonly cases?: readonly { readonly submitter_id: string }[]
  }[]
  readonly chosen: string | undefined
  readonly choose: (id: string) => void
}

/** Form to choose one of the cohort's files, or to enter the id of any file. */
export function FileForm({ files, chosen, choose }: FileFormProps) {
  const isOther = chosen !== undefined && !files.some(({ id }) => id === chosen)
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <label>
        File
        <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
          {isOther && <option value={chosen}>{chosen}</option>}
          {files.map(({ id, file_name, access, cases = [] }) => (
            <option key={id} value={id}>
              {`${cases[0]?.submitter_id ?? 'no case'}, ${access}: ${file_name}`}
            </option>
          ))}
        </select>
      </label>
      <label>
        or the id of one
        <input
          size={26}
          spellcheck={false}
          value={isOther ? chosen : ''}
          onChange={(event) => {
            const id = event.currentTarget.value.trim()
            if (id !== '') choose(id)
          }}
        />
      </label>
    </form>
  )
}
