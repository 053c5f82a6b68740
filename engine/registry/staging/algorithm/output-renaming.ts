import type { TablePath } from './model.ts'

/** Where values of a path's ENDPOINT columns go: each key that the column is renamed to, else its own. */
export function outputRenaming({
  output_mapping = [],
}: TablePath): (column: string) => readonly string[] {
  const renamed = Map.groupBy(output_mapping, ({ from }) => from)
  return (column) => renamed.get(column)?.map(({ to }) => to) ?? [column]
}
