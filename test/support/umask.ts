// Files that tests make are closed to other accounts, as those of `platbook` itself: else each command that a test starts
// would close them first and say so.
process.umask(0o077)
