interface MissingNoteProps {
  readonly dataset: string
  readonly field: string
  /** Number of records that lack the value, or have a part that lacks it. */
  readonly missing: number
}

/** Objects that a record has once. All others may be several, such as its diagnoses. */
const SINGLE = /^(demographic|project|analysis|tissue_source_site)\./

/** Tells how many records lack a value. A case with two diagnoses lacks it if one of them does. */
export function MissingNote({ dataset, field, missing }: MissingNoteProps) {
  const count = missing.toLocaleString('en')
  const parts = field.includes('.') && !SINGLE.test(field) ? field.split('.')[0] : undefined
  return (
    <p class="soft">
      {parts === undefined
        ? `${count} ${dataset} without a value`
        : `${count} ${dataset} without it in all or some of their ${parts?.replaceAll('_', ' ')}`}
    </p>
  )
}
