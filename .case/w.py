exec(open('t.py').read().split("n=200")[0])
rng.normal(size=1)
case('wide rank def',rng.normal(size=(20,10))@rng.normal(size=(10,50)),rng.normal(size=20))


