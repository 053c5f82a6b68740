/**
 * Locks the database file until the connection closes: the transaction is never ended. The journal is in memory,
 * because a full disk has no space for a journal file.
 */
export const LOCK_THE_FILE = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'
