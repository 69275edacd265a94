"""Studies to look at: a page that is live while they run (`rembo dashboard`), and one in a file (`rembo report`).

Above `plot`, whose pictures are the charts. `catalogue` says which studies there are and `snapshots` what they hold,
read without ever writing; `asked` is what an address asks for, and `table` the trials that follow from it; `facts` and
`charts` are what is shown, `belief` what must be computed first; `pages` makes HTML of it, by `html`, where all text is
escaped, and `links` leads from one to the other. `server` sends it to browsers (extra `dashboard`), `report` to a file.
"""
