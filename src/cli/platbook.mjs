#!/usr/bin/env node
// Plain JavaScript, so that an older Node can still say what it lacks: TypeScript itself needs Node 24.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `platbook needs Node 24 and was started by Node ${process.versions.node}.\n` +
      'It brings its own: run it as `npm run platbook -- <command>` in its folder.',
  )
  process.exit(1)
}
await import('./main.ts')
