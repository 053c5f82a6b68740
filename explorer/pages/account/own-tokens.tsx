import { type Column, Table } from '../../parts/table.tsx'
import type { OwnToken } from './own-types.ts'

interface Props {
  readonly tokens: readonly OwnToken[]
  readonly isBusy: boolean
  readonly onRevoke: (id: string) => void
}

/** Table of the person's tokens, each with a button to revoke it. */
export function OwnTokens({ tokens, isBusy, onRevoke }: Props) {
  const columns: readonly Column<OwnToken>[] = [
    { title: 'Name', value: ({ name }) => name },
    { title: 'Rights', value: ({ read_only: isRead }) => (isRead ? 'read' : 'read and change') },
    { title: 'Projects', value: ({ projects }) => projects?.join(', ') ?? 'all' },
    { title: 'Made', value: ({ created_datetime: at }) => new Date(at).toLocaleDateString() },
    { title: 'Expires', value: ({ expires_datetime: at }) => new Date(at).toLocaleDateString() },
    {
      title: 'End',
      value: () => '',
      show: ({ id, name }) => (
        <button
          type="button"
          disabled={isBusy}
          aria-label={`Revoke ${name}`}
          onClick={() => onRevoke(id)}
        >
          Revoke
        </button>
      ),
    },
  ]
  return <Table caption="Your tokens" columns={columns} rows={tokens} />
}
