"""How each picture is drawn: plain numbers of `rembo.plot.data` to figures of Plotly, which `canvas` alone imports."""
