/** Wraps a function so that only its first call runs it, which makes releasing something twice harmless. */
export function onlyOnce(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
