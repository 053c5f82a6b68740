import type { TablePath } from './model.ts'

/** Maps an ENDPOINT column to the keys to which it is renamed, or to its own key. */
export function outputRenaming({
  output_mapping = [],
}: TablePath): (column: string) => readonly string[] {
  const renamed = Map.groupBy(output_mapping, ({ from }) => from)
  return (column) => renamed.get(column)?.map(({ to }) => to) ?? [column]
}
